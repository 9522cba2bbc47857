import { setTimeout as sleep } from "node:timers/promises";
import { expect, vi } from "vitest";
import type { Fleet, Replica, Usage } from "./fleet.ts";
import type { Answer } from "./http.ts";

const LIST = "/api/v1/llm/gateway/list-threads";
const VERIFY = "/api/v1/auth/verify";
/** Callers at once. */
const CALLERS = 32;
/** The promise is within a second across replicas (docs/promises.md); a busy machine gets more. */
const USAGE_MS = 30_000;

/** One kind of request, with a key of its own. */
interface Kind {
  readonly keyId: string;
  readonly headers: Record<string, string>;
  readonly path: string;
  readonly body: unknown;
}

interface Answered {
  readonly keyId: string;
  readonly replica: Replica;
  readonly atMs: number;
  /** `successful`, or the reason of the denial. */
  readonly outcome: string;
}

/** Requests of all kinds, from many callers at once, and the usage that follows from their answers. */
export class Traffic {
  readonly #kinds: readonly Kind[];
  readonly #answered: Answered[] = [];
  /** Those that a load balancer would send requests to. */
  targets: readonly Replica[];
  #sent = 0;
  underWay = 0;

  private constructor(kinds: readonly Kind[], targets: readonly Replica[]) {
    this.#kinds = kinds;
    this.targets = targets;
  }

  /** Creates keys that succeed, that lack a scope, that are limited, dead or lack their configuration. */
  static async start(fleet: Fleet, targets: readonly Replica[]): Promise<Traffic> {
    const [first] = targets;
    if (first === undefined) throw new Error("There is no replica.");
    const kind = async (fields: object, path: string, body: unknown): Promise<Kind> => {
      const { key, key_id } = await fleet.createKey(first, { permissions: ["conversations:read"], ...fields });
      return { keyId: key_id, headers: { "x-api-key": key }, path, body };
    };
    const reader = await kind({}, LIST, {});
    const revoked = await kind({}, LIST, {});
    await first.call("/api/v1/api-keys/revoke", { key_id: revoked.keyId }, await fleet.dashboard());
    const kinds = [
      reader,
      { ...reader, body: "{" },
      { ...reader, path: "/api/v1/orgs/create" },
      await kind({ rate_limit: { requests_per_minute: 50 } }, VERIFY, {}),
      await kind({ rate_limit: { requests_per_minute: 600, requests_per_hour: 1_000, burst_size: 20 } }, VERIFY, {}),
      await kind({ keyType: "KEY_TYPE_PUBLISHABLE" }, VERIFY, {}),
      revoked,
    ];
    return new Traffic(kinds, targets);
  }

  /** Sends so many requests more. */
  async send(count: number): Promise<void> {
    const last = this.#sent + count;
    const caller = async (): Promise<void> => {
      while (this.#sent < last) await this.#sendOne(this.#sent++);
    };
    await Promise.all(Array.from({ length: CALLERS }, caller));
  }

  /** Resolves when so many requests have been sent in all. */
  async sent(count: number): Promise<void> {
    while (this.#sent < count) await sleep(5);
  }

  async #sendOne(n: number): Promise<void> {
    const kind = this.#kinds[n % this.#kinds.length] as Kind;
    const replica = this.targets[n % this.targets.length] as Replica;
    this.underWay += 1;
    const answer = await replica.call(kind.path, kind.body, kind.headers).catch(() => undefined);
    this.underWay -= 1;
    // Who got no answer cannot know; that is allowed only where the process was killed, and checked there.
    if (answer === undefined || !isOfKnownKey(answer)) return;
    const outcome = answer.json.denial_reason ?? "successful";
    this.#answered.push({ keyId: kind.keyId, replica, atMs: performance.now(), outcome });
  }

  get answered(): number {
    return this.#answered.length;
  }

  /** How many requests a replica answered within the time before an instant. */
  answeredBy(replica: Replica, beforeMs: number, withinMs: number): number {
    return this.#answered.filter((one) => one.replica === replica && beforeMs - one.atMs <= withinMs).length;
  }

  /** What each key's usage must be: one for each answer. */
  expected(): Record<string, Usage> {
    const usage: Record<string, Usage> = {};
    for (const { keyId } of this.#kinds) usage[keyId] = { total: 0, successful: 0, failed: 0 };
    for (const { keyId, outcome } of this.#answered) {
      const { total, successful: good, failed } = usage[keyId] as Usage;
      const successful = outcome === "successful" ? 1 : 0;
      usage[keyId] = { total: total + 1, successful: good + successful, failed: failed + 1 - successful };
    }
    return usage;
  }

  /** What the series of a key must add up to, by the outcome. */
  #expectedOutcomes(keyId: string): Record<string, number> {
    const outcomes: Record<string, number> = {};
    for (const answered of this.#answered)
      if (answered.keyId === keyId) outcomes[answered.outcome] = (outcomes[answered.outcome] ?? 0) + 1;
    return outcomes;
  }

  async read(fleet: Fleet, replica: Replica): Promise<Record<string, Usage>> {
    const usages: Record<string, Usage> = {};
    for (const { keyId } of this.#kinds) usages[keyId] = await fleet.usage(replica, keyId);
    return usages;
  }

  /** On every replica, soon: the counters, the series that add up to them, and the reasons in these. */
  async expectExact(fleet: Fleet): Promise<void> {
    for (const replica of this.targets) {
      const isExact = async () => expect(await this.read(fleet, replica)).toEqual(this.expected());
      await vi.waitFor(isExact, { timeout: USAGE_MS, interval: 100 });
      for (const { keyId } of this.#kinds)
        expect(await fleet.outcomes(replica, keyId)).toEqual(this.#expectedOutcomes(keyId));
    }
  }
}

/** While the database is away no key is known, so that nothing can be counted. */
function isOfKnownKey({ json }: Answer): boolean {
  return json.denial_reason !== "verifier_error";
}

export function totalOf(usage: Record<string, Usage>): number {
  return Object.values(usage).reduce((sum, { total }) => sum + total, 0);
}
