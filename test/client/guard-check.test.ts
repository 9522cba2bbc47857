// promise: guards.check
import { createServer } from "node:http";
import { expect, test } from "vitest";
import { type CheckOptions, createGuard, type GuardOptions } from "../../clients/typescript/src/server/index.ts";
import { closeAll, listenOnLoopback } from "../servers/loopback.ts";

const CALLER = { caller: "CALLER_SECRET_KEY", tenant_id: "ten_1", key_id: "key_1", permissions: ["plans:*"] };
const DENIAL = { code: "unauthenticated", message: "No.", denial_reason: "missing_credentials" };
const ID = { "X-Request-Id": "req_1", "X-RateLimit-Limit": "5", Via: "proxy" };

const pairs = [
  ["X-API-Key", "sk_1"],
  ["Authorization", "Bearer one"],
  ["Authorization", "Bearer two"],
  ["X-Forwarded-For", "192.0.2.1"],
  ["Cookie", "c"],
] as const;

/** A guard of a service that gives one answer, and the questions that it asks. */
function guarded(answer: () => Response, options: Partial<GuardOptions> = {}) {
  const asked: Request[] = [];
  const guard = createGuard({
    baseUrl: "https://keys.example",
    fetch: async (url, init) => {
      asked.push(new Request(url instanceof Request ? url.url : url, init));
      return answer();
    },
    ...options,
  });
  return { guard, asked };
}
const admitting = () => guarded(() => Response.json(CALLER, { headers: ID }));

test("guard.check admits with the caller, the limit and the id of the decision", async () => {
  const { guard, asked } = admitting();
  const verdict = await guard.check(pairs, ["plans:read", "plans:write"], { cost: 3 });
  if (verdict.kind !== "admitted") throw new Error("refused");
  expect(verdict.caller).toMatchObject({ kind: "secret_key", tenantId: "ten_1", keyId: "key_1" });
  expect([...verdict.headers]).toEqual([
    ["x-ratelimit-limit", "5"],
    ["x-request-id", "req_1"],
  ]);
  expect(await asked[0]?.json()).toEqual({ scopes: ["plans:read", "plans:write"], cost: 3 });
});

test("guard.check refuses with the status, headers and body to answer", async () => {
  const { guard } = guarded(() => Response.json(DENIAL, { status: 401, headers: ID }));
  const verdict = await guard.check([], "plans:read");
  if (verdict.kind !== "refused") throw new Error("admitted");
  expect([verdict.status, JSON.parse(verdict.body)]).toEqual([401, DENIAL]);
  expect(Object.fromEntries(verdict.headers)).toEqual({
    "content-type": "application/json",
    "x-ratelimit-limit": "5",
    "x-request-id": "req_1",
  });
  const away = guarded(() => Response.error(), { onError: () => {} });
  expect(await away.guard.check(pairs, [])).toMatchObject({ kind: "refused", status: 503 });
});

test("guard.check takes headers in each form, and two values stay two", async () => {
  const distinct = Object.groupBy(pairs, ([name]) => name.toLowerCase());
  const forms = {
    pairs,
    iterator: pairs.values(),
    headers: new Headers(pairs.map(([name, value]) => [name, value])),
    headersDistinct: Object.fromEntries(
      Object.entries(distinct).map(([name, found = []]) => [name, found.map(([, value]) => value)]),
    ),
  };
  for (const [form, headers] of Object.entries(forms)) {
    const { guard, asked } = admitting();
    await guard.check(headers, [], { clientAddress: "::ffff:198.51.100.7%eth0" });
    const sent = Object.fromEntries(asked[0]?.headers ?? []);
    expect(sent, form).toMatchObject({
      "x-api-key": "sk_1",
      authorization: "Bearer one, Bearer two",
      "x-forwarded-for": "192.0.2.1, ::ffff:198.51.100.7",
    });
    expect(sent, form).not.toHaveProperty("cookie");
  }
});

// threat: B28
test("guard.check sends no address that a client could have written last", async () => {
  for (const clientAddress of [undefined, null, ""]) {
    const { guard, asked } = admitting();
    await guard.check(pairs, [], { clientAddress });
    expect(asked[0]?.headers.has("x-forwarded-for")).toBe(false);
  }
});

test("guard.check asks nothing for a scope or an option that it does not know", async () => {
  const { guard, asked } = admitting();
  await expect(guard.check(pairs, "plan:read")).rejects.toThrow('did you mean "plans:read"');
  await expect(guard.check(pairs, [], { cost: 0 })).rejects.toThrow(TypeError);
  const misspelt = { clientAdress: "198.51.100.7" } as CheckOptions;
  await expect(guard.check(pairs, [], misspelt)).rejects.toThrow("clientAdress");
  expect(asked).toEqual([]);
});

test("guard.check takes the headers of a Node request", async () => {
  const { guard, asked } = admitting();
  const server = createServer(async (req, res) => {
    const { kind } = await guard.check(req.headersDistinct, [], { clientAddress: req.socket.remoteAddress });
    res.end(kind);
  });
  const url = `http://127.0.0.1:${await listenOnLoopback(server)}`;
  const answer = await fetch(url, { headers: { "x-api-key": "sk_2" } });
  await closeAll(server);
  expect(await answer.text()).toBe("admitted");
  expect(asked[0]?.headers.get("x-api-key")).toBe("sk_2");
  expect(asked[0]?.headers.get("x-forwarded-for")).toMatch(/127\.0\.0\.1$/);
});
