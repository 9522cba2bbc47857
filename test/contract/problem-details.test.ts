// promise: errors.problem
import { expect, test } from "vitest";
import { newTenant, sharedLatchkey } from "../harness/latchkey.ts";
import { sendRaw } from "../harness/raw-http.ts";

const latchkey = await sharedLatchkey();
const PROBLEM = "application/problem+json";
const VERIFY = "/api/v1/auth/verify";

async function plansKey(fields: object = {}): Promise<Record<string, string>> {
  const dashboard = await latchkey.dashboard(newTenant());
  return { "x-api-key": (await latchkey.createKey(dashboard, { permissions: ["plans:read"], ...fields })).key };
}

/** The answer in both forms. */
async function bothOf(path: string, body: unknown, headers: Record<string, string>) {
  const plain = await latchkey.call(path, body, headers);
  const problem = await latchkey.call(path, body, { ...headers, accept: PROBLEM });
  return { plain, problem };
}

test.each<[what: string, path: string, body: unknown, headers: Record<string, string>, status: number]>([
  ["a denial", VERIFY, {}, {}, 401],
  ["a refused token", VERIFY, {}, { authorization: "Bearer abc" }, 401],
  ["a lacking scope", VERIFY, { scope: "plans:write" }, await plansKey(), 403],
  ["a wrong member", VERIFY, { scop: 1 }, await plansKey(), 400],
  ["an unknown path", "/api/v1/nothing", {}, {}, 404],
  ["an unknown RPC", "/latchkey.v1.AuthService/Nothing", {}, {}, 404],
  ["a proxy's check", "/auth/check?scope=plans:write", {}, await plansKey(), 403],
])("%s is a problem where the client asks for one, with the same facts", async (_what, path, body, headers, status) => {
  const { plain, problem } = await bothOf(path, body, headers);
  expect(plain.headers.get("content-type")).toBe("application/json");
  expect(problem.headers.get("content-type")).toBe(PROBLEM);
  expect([plain.status, problem.status]).toEqual([status, status]);
  const { message, ...facts } = plain.json;
  const { type, title, status: member, detail, ...same } = problem.json;
  expect(same).toEqual(facts);
  expect(detail).toBe(message);
  expect(member).toBe(status);
  // Clients of another host read the answers that a proxy passes on.
  const isRelayed = path.startsWith("/auth/check");
  expect(type).toBe(isRelayed ? "about:blank" : `/docs/errors#${facts.reason}`);
  if (isRelayed) expect(title).toBeUndefined();
  else expect(title).toMatch(/^[A-Z][\w ]+$/);
  for (const name of ["www-authenticate", "x-auth-denial"])
    expect(problem.headers.get(name)).toBe(plain.headers.get(name));
});

test("its type is a section of the page that the service serves", async () => {
  const { json } = await latchkey.call(VERIFY, {}, { accept: PROBLEM });
  const [path, section] = String(json.type).split("#");
  const page = await (await fetch(latchkey.url + path)).text();
  expect(page).toContain(`id="${section}"`);
});

test("a 429 has its limit and Retry-After", async () => {
  const key = await plansKey({ rate_limit: { requests_per_minute: 1 } });
  await latchkey.call(VERIFY, {}, key);
  const { status, headers, json } = await latchkey.call(VERIFY, {}, { ...key, accept: PROBLEM });
  expect(status).toBe(429);
  expect(json).toMatchObject({ type: "/docs/errors#rate_limited", denial_reason: "rate_limited" });
  expect(json.rate_limit).toMatchObject({ limit: 1, remaining: 0 });
  expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
});

test("what is rejected by its head is a problem, too", async () => {
  const head = `POST ${VERIFY} HTTP/1.1\r\nHost: x\r\nExpect: magic\r\nAccept: ${PROBLEM}\r\nContent-Length: 0\r\n\r\n`;
  const answer = await sendRaw(latchkey.url, head);
  expect(answer).toMatch(/^HTTP\/1.1 417 /);
  expect(answer).toContain(`content-type: ${PROBLEM}\r\n`);
  expect(answer).toContain('"type":"/docs/errors#expectation_failed"');
});

test("what succeeds is as it was", async () => {
  const { status, headers } = await latchkey.call(VERIFY, {}, { ...(await plansKey()), accept: PROBLEM });
  expect([status, headers.get("content-type")]).toEqual([200, "application/json"]);
});
