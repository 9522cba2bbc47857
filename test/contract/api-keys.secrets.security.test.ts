// promise: answers.request-id, keys.once, keys.type
import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { Answer } from "../harness/http.ts";
import { postHttp2 } from "../harness/http2-client.ts";
import { dashboardOf, KEY_VERBS, OIDC, PUBLISHABLE, useKey } from "../harness/key-management.ts";
import { sharedLatchkey, startLatchkey, testStorage } from "../harness/latchkey.ts";
import { storedText } from "../harness/stored-text.ts";

const latchkey = await sharedLatchkey();

/** Sixteen characters of the secret part, from its beginning, middle and end; none of them is in `key_prefix`. */
function traces(key: string): string[] {
  return [key, key.slice(3, 19), key.slice(12, 28), key.slice(-16)];
}

function expectNoTrace(text: string, key: string): void {
  for (const trace of traces(key)) expect(text.includes(trace), "a part of a key is in the text").toBe(false);
}

const logSince = (line: number): string => latchkey.logLines.slice(line).join("");

describe("a key's value is returned once", () => {
  // threat: R17
  test.each(["created", "rotated"])("no answer after the first contains it: %s", async (how) => {
    const dashboard = dashboardOf(latchkey);
    const created = await dashboard.createKey();
    const { key, key_id } =
      how === "created" ? created : await dashboard.result("rotate", { key_id: created.key_id, grace_period_hours: 1 });
    const answers: Answer[] = [await dashboard.call("list", {})];
    for (const { method, body } of KEY_VERBS.filter((verb) => verb.method !== "revoke")) {
      answers.push(await dashboard.call(method, body(key_id)));
    }
    answers.push(await dashboard.call("revoke", { key_id }), await dashboard.call("list", {}));
    for (const { status, text } of answers) {
      expect(status).toBe(200);
      expectNoTrace(text, key);
      expectNoTrace(text, created.key);
    }
    expect((await dashboard.result("get", { key_id })).key).toBeUndefined();
  });

  test("a rotation returns the new value and not the old one", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key, key_id } = await dashboard.createKey();
    const answer = await dashboard.call("rotate", { key_id });
    expectNoTrace(answer.text, key);
    expectNoTrace((await dashboard.call("rotate", { key_id })).text, answer.json.result.key);
  });

  test("no record and no answer contains a hash", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key_id } = await dashboard.createKey();
    for (const method of ["get", "list"] as const) {
      const answer = await dashboard.call(method, method === "get" ? { key_id } : {});
      expect(answer.text).not.toMatch(/hash|sha|digest/i);
    }
  });
});

// threat: H4
test("the database has a key's SHA-256 and its prefix, and nothing else of its value", async () => {
  const { storage, cleanUp } = await testStorage();
  const own = await startLatchkey({ config: { storage } });
  const dashboard = dashboardOf(own);
  const created = await dashboard.createKey();
  const successor = await dashboard.result("rotate", { key_id: created.key_id });
  expect(await useKey(own, created.key)).toBe("admitted");
  await own.close();
  const stored = await storedText(storage);
  await cleanUp();
  for (const { key, key_prefix } of [created, successor]) {
    expect(stored).toContain(createHash("sha256").update(key).digest("hex"));
    expect(stored).toContain(key_prefix);
    expectNoTrace(stored, key);
  }
});

describe("the log", () => {
  // threat: K7, H4
  test("contains no key, wherever one was sent, and no user token", async () => {
    const line = latchkey.logLines.length;
    const dashboard = dashboardOf(latchkey);
    const { key, key_id } = await dashboard.createKey();
    const headers = await latchkey.dashboard(dashboard.tenant);
    const successor = await dashboard.result("rotate", { key_id });
    await useKey(latchkey, key);
    await useKey(latchkey, `${key.slice(0, -1)}!`);
    await dashboard.call("get", { key_id: key });
    await dashboard.call("get", { [key]: key });
    await dashboard.call("update", { key_id, update_mask: key });
    await dashboard.call("create", { name: key, permissions: [key] });
    await dashboard.call("create", `{"key":"${key}"`);
    await latchkey.call(`/api/v1/api-keys/list?key=${key}`, {}, headers);
    await latchkey.call(`/nowhere?key=${key}`, {}, headers);
    await latchkey.call("/api/v1/api-keys/list", {}, { ...headers, cookie: `key=${key}`, referer: `https://x/${key}` });
    await latchkey.call("/api/v1/api-keys/list", {}, { authorization: `Bearer ${key}` });
    await latchkey.call("/api/v1/api-keys/list", {}, { authorization: `Basic ${key}` });
    const log = logSince(line);
    expect(log).toContain("latchkey.v1.ApiKeyService/CreateApiKey");
    expectNoTrace(log, key);
    expectNoTrace(log, successor.key);
    expect(log).not.toContain((headers.authorization ?? "").slice(-40));
  });

  test("contains no key that was sent as a path", async () => {
    const line = latchkey.logLines.length;
    const { key } = await dashboardOf(latchkey).createKey();
    await latchkey.call(`/${key}`, {});
    await latchkey.call(`/api/v1/api-keys/${key}`, {});
    // Cut off where a part of the key is left.
    for (let before = 88; before < 128; before++) await latchkey.call(`${"/x".repeat(64).slice(0, before)}/${key}`, {});
    expectNoTrace(logSince(line), key);
  });

  test("contains no key that was sent as a method, which may be any word over HTTP/2", async () => {
    const line = latchkey.logLines.length;
    const { key } = await dashboardOf(latchkey).createKey();
    expect((await postHttp2(latchkey.url, "/nowhere", {}, { ":method": key })).status).toBe(404);
    expect(logSince(line)).toContain('"method":"..."');
    expectNoTrace(logSince(line), key);
  });

  test("contains no key that was sent as a request id", async () => {
    const line = latchkey.logLines.length;
    const { key } = await dashboardOf(latchkey).createKey();
    await latchkey.call("/api/v1/api-keys/list", {}, { "x-request-id": key });
    expectNoTrace(logSince(line), key);
  });

  // threat: B19
  test("is one JSON object a line, whatever a caller writes into a name", async () => {
    const line = latchkey.logLines.length;
    const dashboard = dashboardOf(latchkey);
    await dashboard.createKey({ name: 'a\r\n{"level":50}\u001b[2J\u2028\u202e', description: "x\ny" });
    await latchkey.call("/%0d%0a{}", {}, { "x-on-behalf-of": "a%0ab" });
    const lines = latchkey.logLines.slice(line);
    expect(lines.length).toBeGreaterThan(0);
    for (const text of lines) {
      expect(text.trimEnd()).not.toMatch(/[\r\n]/);
      expect(JSON.parse(text)).toHaveProperty("request_id");
    }
  });
});

describe("guessing", () => {
  // threat: K10
  test("a key with any one character changed is unknown", async () => {
    const { key } = await dashboardOf(latchkey).createKey();
    for (let at = 3; at < key.length; at++) {
      const other = key[at] === "a" ? "b" : "a";
      expect(await useKey(latchkey, key.slice(0, at) + other + key.slice(at + 1))).toBe("api_key_not_found");
    }
    expect(await useKey(latchkey, key)).toBe("admitted");
  });

  test("a part of a key, a longer text and a key repeated are denied", async () => {
    const { key, key_prefix, key_id } = await dashboardOf(latchkey).createKey();
    for (const guess of [key_prefix, key.slice(0, -1), `${key}a`, key + key, `sk_${key_id}`]) {
      expect(await useKey(latchkey, guess)).toBe("api_key_not_found");
    }
    for (const guess of [key.slice(3), key.toUpperCase(), key_id, `${key}%20`.slice(1), `${key},${key}`]) {
      expect(await useKey(latchkey, guess)).toBe("api_key_invalid");
    }
  });

  // threat: K5
  test("the type comes from the record: a key under the other type's prefix is unknown", async () => {
    const dashboard = dashboardOf(latchkey);
    const secret = await dashboard.createKey();
    const publishable = await dashboard.createKey({ ...PUBLISHABLE, publishableConfig: { oidc: OIDC } });
    expect(await useKey(latchkey, `pk_${secret.key.slice(3)}`)).toBe("api_key_not_found");
    expect(await useKey(latchkey, `sk_${publishable.key.slice(3)}`)).toBe("api_key_not_found");
  });
});
