import { createServer, type RequestListener } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callerOf, createGuard } from "../../clients/typescript/src/server/index.ts";
import { post } from "../harness/http.ts";
import { startUpstream, UPSTREAMS, type Upstream } from "../harness/upstreams.ts";
import { closeAll, listenOnLoopback, portOf } from "../servers/loopback.ts";

const CALLER = { caller: "CALLER_SECRET_KEY", tenant_id: "ten_1", key_id: "key_1", user_id: "", permissions: [] };

/** What answers in Latchkey's place; each test puts in its own. */
let answer: RequestListener;
let received: { headers: Record<string, unknown> }[] = [];
const standIn = createServer((req, res) => {
  received.push({ headers: { ...req.headers } });
  answer(req, res);
});

beforeAll(() => listenOnLoopback(standIn));
afterAll(() => closeAll(standIn));

function baseUrl(): string {
  return `http://127.0.0.1:${portOf(standIn)}`;
}

const answering =
  (status: number, body: string, headers: Record<string, string> = {}): RequestListener =>
  (_req, res) =>
    void res.writeHead(status, { "Content-Type": "application/json", ...headers }).end(body);

/** Until the guard gives up. */
const silent: RequestListener = () => {};
const dripping: RequestListener = (_req, res) => {
  res.writeHead(200, { "Content-Type": "application/json" });
  res.write(JSON.stringify(CALLER).slice(0, 20));
};
const endless: RequestListener = (_req, res) => {
  res.writeHead(200, { "Content-Type": "application/json" });
  const chunk = " ".repeat(16_384);
  const more = (): void => {
    while (res.write(chunk)) if (res.destroyed) return;
  };
  res.on("drain", more);
  more();
};
/** Would be accepted if it were followed, or read to its end. */
const redirecting: RequestListener = (req, res) => {
  if (req.url === "/elsewhere") answering(200, JSON.stringify(CALLER))(req, res);
  else res.writeHead(307, { Location: "/elsewhere" }).end();
};
const padded = JSON.stringify(CALLER) + " ".repeat(65_536);
const hangingUp: RequestListener = (req) => void req.socket.destroy();

describe.each(UPSTREAMS)("a guarded upstream of %s", (kind) => {
  let upstream: Upstream;
  /** For what never comes: on a busy machine it does not wait for what comes either. */
  let impatient: Upstream;
  let lost: Upstream;
  let errors: unknown[] = [];

  beforeAll(async () => {
    const options = { baseUrl: `${baseUrl()}/`, onError: (err: unknown) => void errors.push(err) };
    upstream = await startUpstream(kind, options, "plans:read");
    impatient = await startUpstream(kind, { ...options, timeoutMs: 30 }, "plans:read");
    lost = await startUpstream(kind, { baseUrl: "http://127.0.0.1:1" }, "plans:read");
  });

  afterAll(async () => {
    await upstream.close();
    await impatient.close();
    await lost.close();
  });

  const call = (of = upstream) => post(of.url, "/plans", {}, { "x-api-key": "sk_x" });

  test.each<[string, RequestListener]>([
    ["it says nothing", silent],
    ["its answer does not end", dripping],
    ["its answer is too long", endless],
    ["its answer is longer than any of Latchkey's", answering(200, padded)],
    ["it hangs up", hangingUp],
    ["a proxy answers with a page", answering(401, "<h1>Sign in</h1>", { "Content-Type": "text/html" })],
    ["another server answers", answering(404, '{"code":"not_found","message":"No such path."}')],
    ["a server answers without a code", answering(403, '{"error":"forbidden"}')],
    ["it is about to stop", answering(503, '{"code":"unavailable","message":"stopping"}')],
    ["it has a fault of its own", answering(500, '{"code":"internal","message":"bug"}')],
    ["it redirects", redirecting],
    ["its answer names no caller", answering(200, "{}")],
    ["its answer names no tenant", answering(200, JSON.stringify({ ...CALLER, tenant_id: "" }))],
    ["its answer names an unknown kind of caller", answering(200, JSON.stringify({ ...CALLER, caller: 77 }))],
    ["its answer names the operator", answering(200, JSON.stringify({ ...CALLER, caller: "CALLER_OPERATOR" }))],
    ["its answer names a kind of tomorrow", answering(200, JSON.stringify({ ...CALLER, caller: "CALLER_ROBOT" }))],
    ["its answer is no JSON", answering(200, "OK")],
    ["its answer is JSON null", answering(403, "null")],
    ["its answer is empty", answering(204, "")],
    [
      "it knows no such scope",
      answering(400, '{"code":"invalid_argument","message":"scopes[0]: is not a known scope"}'),
    ],
  ])("answers 503 without calling the handler if Latchkey does not decide: %s", async (_how, listener) => {
    answer = listener;
    const asked = listener === silent || listener === dripping ? impatient : upstream;
    const before = asked.handled();
    errors = [];
    const { status, json, headers } = await call(asked);
    expect(status).toBe(503);
    // Its operator learns why.
    expect(errors).toEqual([expect.any(Error)]);
    expect(json).toEqual({
      ...{ code: "unavailable", reason: "verifier_error" },
      message: expect.stringContaining("neither accepted nor refused"),
    });
    expect(headers.get("content-type")).toBe("application/json");
    expect(asked.handled()).toBe(before);
  });

  test("answers 503 if no server listens at Latchkey's address", async () => {
    expect((await call(lost)).status).toBe(503);
    expect(lost.handled()).toBe(0);
  });

  test.each([
    [500, { code: "internal", message: "retry", denial_reason: "verifier_error" }],
    [429, { code: "resource_exhausted", message: "wait", denial_reason: "rate_limited", younger: [1] }],
    [403, { code: "permission_denied", message: "suspended", denial_reason: "tenant_suspended" }],
    [418, { code: "unauthenticated", message: "no", denial_reason: "a_reason_of_tomorrow" }],
  ])("passes on a denial of status %i, byte for byte", async (status, body) => {
    const text = ` ${JSON.stringify(body)}\n`;
    answer = answering(status, text, { "Retry-After": "3", "X-RateLimit-Limit": "5", "Set-Cookie": "a=b", Via: "x" });
    errors = [];
    const given = await call();
    expect(errors).toEqual([]);
    expect([given.status, given.text]).toEqual([status, text]);
    expect([given.headers.get("retry-after"), given.headers.get("x-ratelimit-limit")]).toEqual(["3", "5"]);
    // Latchkey's connection is not the caller's.
    expect([given.headers.get("set-cookie"), given.headers.get("via")]).toEqual([null, null]);
  });

  test("sends Latchkey the credentials, where the request comes from, and nothing else of it", async () => {
    answer = answering(200, JSON.stringify({ ...CALLER, younger: true }));
    received = [];
    const headers = {
      "x-api-key": "sk_x",
      authorization: "Bearer t",
      "x-on-behalf-of": "u",
      origin: "https://app.example",
      "sec-fetch-site": "cross-site",
      "x-forwarded-for": "192.0.2.1",
      cookie: "c",
      "x-auth-user-id": "a",
      "x-other": "o",
    };
    expect((await post(upstream.url, "/plans", { secret: 1 }, headers)).status).toBe(200);
    // A verification of another test that was given up may arrive late.
    const own = received.find((each) => each.headers["x-on-behalf-of"] === "u");
    expect(own?.headers).toMatchObject({
      "x-api-key": "sk_x",
      authorization: "Bearer t",
      "x-on-behalf-of": "u",
      origin: "https://app.example",
      "sec-fetch-site": "cross-site",
    });
    expect(own?.headers).not.toHaveProperty("forwarded");
    for (const name of ["cookie", "x-auth-user-id", "x-other"]) expect(own?.headers).not.toHaveProperty(name);
  });
});

test.each<[string, () => Promise<Response>]>([
  ["overlooks its signal", () => new Promise(() => {})],
  ["answers with a body that does not end", async () => new Response(new ReadableStream())],
])("a verification ends with its timeout even if the given fetch %s", async (_how, fetch) => {
  const errors: unknown[] = [];
  const onError = (err: unknown): void => void errors.push(err);
  const guard = createGuard({ baseUrl: baseUrl(), timeoutMs: 50, fetch, onError });
  const handle = guard.fetch("plans:read", () => new Response("handled"));
  expect((await handle(new Request("http://upstream"))).status).toBe(503);
  expect(errors).toEqual([expect.objectContaining({ name: "TimeoutError" })]);
});

test("callerOf throws in a handler without a guard", () => {
  expect(() => callerOf(new Request("http://upstream"))).toThrow("no guard");
  expect(() => callerOf({ "latchkey.caller": { tenantId: "ten_1" } })).toThrow("no guard");
});

test("an error of a handler reaches its framework", async () => {
  answer = answering(200, JSON.stringify(CALLER));
  const guard = createGuard({ baseUrl: baseUrl() });
  const handle = guard.fetch("plans:read", async () => {
    throw new Error("a bug of the handler");
  });
  const call = handle(new Request("http://upstream", { headers: { "x-api-key": "sk_x" } }));
  await expect(call).rejects.toThrow("a bug of the handler");
});
