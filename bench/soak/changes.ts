import { setTimeout as sleep } from "node:timers/promises";
import type { Server } from "../server.ts";
import { bearer } from "../tokens.ts";
import type { World } from "../world.ts";
import type { Answers, ChangeCounts } from "./record.ts";

type Tally = { -readonly [Member in keyof ChangeCounts]-?: number };
type Json = Record<string, unknown>;

const PAUSE_MS = 100;
const ANSWER_TIMEOUT_MS = 30_000;
const PROBLEMS_MAX = 5;

/** Changes of keys beside the load, each checked on every replica and edge as soon as it was answered. */
export interface Changes {
  /** Creates, updates, rotates and revokes keys, and derives their tokens, one after the other, until the work is over. */
  beside<T>(work: Promise<T>): Promise<T>;
  readonly counts: Omit<ChangeCounts, "audited">;
  /** Of the verifications. */
  readonly outcomes: Answers["outcomes"];
}

export function makeChanges(world: World, servers: readonly Server[], edges: readonly Server[]): Changes {
  const counts: Tally = {
    created: 0,
    updated: 0,
    rotated: 0,
    revoked: 0,
    derived: 0,
    failed: 0,
    contradicted: 0,
    audited: 0,
  };
  const outcomes: Record<string, number> = {};
  let turn = 0;

  async function post(port: number, path: string, headers: Record<string, string>, body: Json) {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    });
    return { status: response.status, json: (await response.json()) as Json };
  }

  /** The first failures say why. */
  function fail(problem: string): void {
    counts.failed += 1;
    if (counts.failed <= PROBLEMS_MAX) console.error(problem);
  }

  /** Sends a change to the replicas in turn. */
  async function send(path: string, done: keyof Tally, headers: Record<string, string>, body: Json): Promise<Json> {
    const port = servers[turn++ % servers.length]?.port ?? 0;
    const { status, json } = await post(port, path, headers, body);
    if (status === 200) counts[done] += 1;
    else fail(`${path}: ${status} ${json.message}`);
    return (json.result ?? {}) as Json;
  }

  async function change(rpc: string, done: keyof Tally, body: Json): Promise<Json> {
    return send(`/api/v1/api-keys/${rpc}`, done, { Authorization: `Bearer ${await world.userToken()}` }, body);
  }

  /** It is a use of the key. */
  async function derive(secret: unknown): Promise<Record<string, string>> {
    const body = { scopes: ["conversations:read"] };
    const { token } = await send("/api/v1/tokens/derive", "derived", { "X-API-Key": String(secret) }, body);
    if (token !== undefined) count("successful");
    return bearer(String(token));
  }

  function count(outcome: string): void {
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  }

  /** Presents a key, or a token that stands for one, to every replica and edge. */
  async function expectOf(caller: unknown, scope: string, expected: string): Promise<void> {
    const headers = typeof caller === "string" ? { "X-API-Key": caller } : (caller as Record<string, string>);
    for (const { port } of [...servers, ...edges]) {
      const { json } = await post(port, "/api/v1/auth/verify", headers, { scope });
      const outcome = String(json.denial_reason ?? "successful");
      count(outcome);
      if (outcome === expected) continue;
      counts.contradicted += 1;
      console.error(
        `port ${port}: ${outcome} instead of ${expected} for ${typeof caller === "string" ? "a key" : "a token"}`,
      );
    }
  }

  /** The life of a key with a token, and of its successor. */
  async function life(): Promise<void> {
    const made = await change("create", "created", { name: "soak", permissions: ["conversations:*"] });
    await expectOf(made.key, "conversations:read", "successful");
    const token = await derive(made.key);
    await expectOf(token, "conversations:read", "successful");
    const permissions = ["conversations:read"];
    await change("update", "updated", { key_id: made.key_id, permissions, update_mask: "permissions" });
    await expectOf(made.key, "conversations:write", "insufficient_scope");
    await expectOf(token, "conversations:write", "insufficient_scope");
    const successor = await change("rotate", "rotated", { key_id: made.key_id, grace_period_hours: 0 });
    await expectOf(made.key, "conversations:read", "api_key_expired");
    await expectOf(token, "conversations:read", "api_key_expired");
    await expectOf(successor.key, "conversations:read", "successful");
    await change("revoke", "revoked", { key_id: successor.key_id });
    await expectOf(successor.key, "conversations:read", "api_key_revoked");
  }

  return {
    async beside(work) {
      let isOver = false;
      const end = () => {
        isOver = true;
      };
      work.then(end, end);
      while (!isOver) {
        await life();
        await sleep(PAUSE_MS);
      }
      return work;
    },
    counts,
    outcomes,
  };
}
