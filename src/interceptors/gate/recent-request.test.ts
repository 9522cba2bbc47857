// promise: requests.recent
import { describe, expect, test } from "vitest";
import { newCall, START, startGate } from "../../../test/harness/memory-gate.ts";
import { makeSecret } from "../../domain/credentials/secret.ts";
import { Denial } from "../../domain/vocabulary/denial.ts";
import { recentRequestOf } from "./recent-request.ts";
import type { ServiceGateContext } from "./service-gate.ts";

const LIST_THREADS = "/api/v1/llm/gateway/list-threads";

async function start(change?: (ctx: ServiceGateContext) => Partial<ServiceGateContext>) {
  const started = await startGate(change);
  return {
    ...started,
    async decide(credentials: Parameters<typeof newCall>[0], deniedLater?: Denial) {
      const call = newCall(credentials);
      await Promise.resolve(started.gate.check(started.methodOf(LIST_THREADS), call)).catch(() => undefined);
      if (deniedLater !== undefined) call.denial = deniedLater;
      started.gate.conclude(call);
      return started.recorded.at(-1);
    },
  };
}

describe("a decided request is recorded", () => {
  test("with its key, user, scope and reason, if it was denied", async () => {
    const { decide, storeKey } = await start();
    const { secret, key } = await storeKey({ permissions: ["plans:read"] });
    expect(await decide({ apiKey: [secret] })).toEqual({
      requestId: "req_1",
      at: START,
      tenantId: key.tenantId,
      keyId: key.keyId,
      tokenId: null,
      caller: "secret_key",
      userId: null,
      address: "192.0.2.1",
      rpc: "",
      scope: "conversations:read",
      reason: "insufficient_scope",
      failedCheck: "scope",
      message: expect.stringContaining("conversations:read"),
    });
  });

  test("if the RPC denied it later, with the scope that it named", async () => {
    const { decide, storeKey } = await start();
    const { secret } = await storeKey({ permissions: ["conversations:*"] });
    const later = new Denial("insufficient_scope", { scope: "plans:write" });
    expect(await decide({ apiKey: [secret] }, later)).toMatchObject({ scope: "plans:write", message: later.message });
  });

  test("without a key and a tenant, if it has no known one", async () => {
    const { decide } = await start();
    const unknown = { tenantId: null, keyId: null, caller: null, userId: null };
    expect(await decide({})).toMatchObject({ ...unknown, reason: "missing_credentials" });
    expect(await decide({ apiKey: [makeSecret("secret")] })).toMatchObject({ ...unknown, reason: "api_key_not_found" });
  });

  test("as a sample, if it is the first success of its key and was asked for", async () => {
    const asked: string[] = [];
    const samples = (keyId: string) => asked.push(keyId) > 0;
    const { decide, storeKey, recorded } = await start((ctx) => ({
      requestRecorder: { ...ctx.requestRecorder, samples },
    }));
    const { secret, key } = await storeKey({ permissions: ["conversations:*"] });
    expect(await decide({ apiKey: [secret] })).toMatchObject({ reason: null, message: "", keyId: key.keyId });
    for (let n = 0; n < 5; n++) await decide({ apiKey: [secret] });
    expect([asked, recorded.length]).toEqual([[key.keyId], 1]);
  });

  test("not at all, if none is kept", async () => {
    const { decide, storeKey } = await start((ctx) => ({
      requestRecorder: { ...ctx.requestRecorder, isOn: false, samples: () => false },
    }));
    const { secret } = await storeKey();
    for (const credentials of [{}, { apiKey: [secret] }]) expect(await decide(credentials)).toBeUndefined();
  });
});

test("the message of a denial is kept without credentials, cut, and as the database can store it", () => {
  const secret = makeSecret("secret");
  const denial = new Denial("jwt_malformed", { message: `${secret} a\0b\ud800${"x".repeat(2_000)}` });
  const { message } = recentRequestOf({ ...newCall(), denial }, "jwt_malformed", START);
  expect(message).toMatch(/^\.\.\. ab\ufffdx+$/);
  expect(message.length).toBeLessThanOrEqual(1_000);
});
