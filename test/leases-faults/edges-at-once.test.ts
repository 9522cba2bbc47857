import { createClient, type Interceptor } from "@connectrpc/connect";
import { createGrpcTransport, Http2SessionManager } from "@connectrpc/connect-node";
import { expect, inject, onTestFinished, test } from "vitest";
import { EdgeService } from "../../gen/latchkey/v1/edge_service_pb.ts";
import { hashSecret } from "../../src/domain/credentials/secret.ts";
import { RULES } from "../../src/domain/edges/rules.ts";
import { createEdgeLease } from "../../src/edge/lease.ts";
import { createLink } from "../../src/edge/link.ts";
import { EDGE_TOKEN } from "../harness/edge-token.ts";
import { startFleet } from "../harness/fleet.ts";
import { freePort } from "../servers/free-port.ts";

/** A thousand in one process, beside a service, leave two cores no time for other tests. */
const EDGES = inject("longForm") ? 1_000 : 200;
const ROUNDS = inject("longForm") ? 5 : 1;

/** The part of an edge that follows a replica, which takes a small part of its memory. */
function follow(baseUrl: string) {
  const authorize: Interceptor = (next) => (request) => {
    request.header.set("Authorization", `Bearer ${EDGE_TOKEN}`);
    return next(request);
  };
  const connection = new Http2SessionManager(baseUrl);
  const transport = createGrpcTransport({ baseUrl, sessionManager: connection, interceptors: [authorize] });
  const client = createClient(EdgeService, transport);
  const lease = createEdgeLease();
  const kept = new Set<string>();
  let beginnings = 0;
  const link = createLink({
    client,
    lease,
    cache: { drop: (subject) => void kept.delete(subject), clear: () => kept.clear() },
    onWelcome: () => true,
    onChange(works) {
      if (works) beginnings += 1;
    },
    onSilence: () => connection.abort(),
  });
  return {
    /** Whether it may use its record of the key. */
    mayUse: (secretHash: string) => lease.isHeld() && kept.has(secretHash),
    isHeld: lease.isHeld,
    beginnings: () => beginnings,
    async keep(secretHash: string): Promise<void> {
      const subject = { case: "secretHash", value: secretHash } as const;
      const { mayKeep } = await client.resolve({ rules: RULES, edgeId: link.edgeId, subject }, { timeoutMs: 30_000 });
      if (mayKeep) kept.add(secretHash);
    },
    async close(): Promise<void> {
      await link.close();
      connection.abort();
    },
  };
}

test("many edges that come back to one replica at once all get a lease again, and a change waits for them", async () => {
  const fleet = await startFleet("");
  onTestFinished(fleet.close);
  const port = await freePort();
  let replica = await fleet.start({ EDGE_TOKEN, PORT: String(port) });
  const edges = Array.from({ length: EDGES }, () => follow(`http://127.0.0.1:${port}`));
  onTestFinished(async () => void (await Promise.all(edges.map((edge) => edge.close()))));
  const count = (isSo: (edge: (typeof edges)[number]) => boolean): number => edges.filter(isSo).length;
  await expect.poll(() => count(({ isHeld }) => isHeld())).toBe(EDGES);

  for (let round = 1; round <= ROUNDS; round++) {
    replica = await fleet.replace(replica);
    const startedMs = performance.now();
    await expect.poll(() => count(({ beginnings }) => beginnings() > round)).toBe(EDGES);
    await expect.poll(() => count(({ isHeld }) => isHeld())).toBe(EDGES);
    console.log(`${EDGES} edges were back after ${Math.round(performance.now() - startedMs)} ms`);

    const key = await fleet.createKey(replica);
    const secretHash = hashSecret(key.key);
    const keepAll = async (): Promise<number> => {
      await Promise.all(edges.filter((edge) => !edge.mayUse(secretHash)).map((edge) => edge.keep(secretHash)));
      return count((edge) => edge.mayUse(secretHash));
    };
    await expect.poll(keepAll).toBe(EDGES);
    const revokedMs = performance.now();
    const { status } = await replica.call("/api/v1/api-keys/revoke", { key_id: key.key_id }, await fleet.dashboard());
    expect(status).toBe(200);
    // In the step in which the answer is there.
    expect(count((edge) => edge.mayUse(secretHash))).toBe(0);
    console.log(`a revocation took ${Math.round(performance.now() - revokedMs)} ms`);
  }
}, 300_000);
