// promise: guards.callers
import { create, toJson } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { callerOf, createGuard } from "../../clients/typescript/src/server/index.ts";
import { VerifyResponseSchema } from "../../gen/latchkey/v1/auth_service_pb.ts";
import { Caller } from "../../gen/latchkey/v1/policy_pb.ts";

/** Not about who calls: the limit is in headers, and guards never ask for an explanation. */
const OF_THE_CALL: readonly string[] = ["rateLimit", "explanation"];

const ANSWER = {
  caller: Caller.SECRET_KEY,
  tenantId: "ten_1",
  keyId: "key_1",
  userId: "user_1",
  permissions: ["plans:read"],
  actingFor: "user_1",
  tokenId: "tok_1",
  externalId: "customer_1",
  metadata: { plan: "pro", seats: 5 },
};

/** The caller that a guard hands over for an answer of Verify. */
async function handedOver(answer: object): Promise<Readonly<Record<string, unknown>>> {
  const body = toJson(VerifyResponseSchema, create(VerifyResponseSchema, answer));
  const guard = createGuard({ baseUrl: "https://keys.example", fetch: async () => Response.json(body) });
  let caller: object = {};
  const guarded = guard.fetch([], (request) => {
    caller = callerOf(request);
    return new Response();
  });
  expect((await guarded(new Request("https://plans.example"))).status).toBe(200);
  return { ...caller };
}

test("a guard hands over all that Verify answers of a caller", async () => {
  const members = VerifyResponseSchema.fields
    .map(({ localName }) => localName)
    .filter((name) => !OF_THE_CALL.includes(name));
  expect(members.toSorted()).toEqual(Object.keys(ANSWER).toSorted());
  const { caller: _, ...same } = ANSWER;
  expect(await handedOver(ANSWER)).toEqual({ kind: "secret_key", ...same });
});

test("what does not apply is undefined", async () => {
  const caller = await handedOver({ caller: Caller.DASHBOARD_USER, tenantId: "ten_1", userId: "user_1" });
  for (const name of ["keyId", "actingFor", "tokenId", "externalId", "metadata"]) expect(caller[name]).toBeUndefined();
});
