// promise: leaks.github, leaks.github-keys
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { makeSecret } from "../../src/domain/credentials/secret.ts";
import { eventsOf } from "../harness/audit.ts";
import { GITHUB_LEAKS, newScannerKey, sendMatches, signedBy, startGithubKeyServer } from "../harness/github.ts";
import { dashboardOf, PUBLISHABLE, useKey } from "../harness/key-management.ts";
import { sharedLatchkey, startLatchkey } from "../harness/latchkey.ts";
import { scrape, sumOf } from "../harness/scrape.ts";

const KEY = newScannerKey("a".repeat(64));
const NEXT = newScannerKey("b".repeat(64));
const PLACE = { url: "https://github.com/octocat/hello/blob/main/.env", source: "content" };
const MINUTE = 60_000;
const HOUR = 3_600_000;

const github = await startGithubKeyServer([KEY]);
const latchkey = await startLatchkey({ config: { githubKeysUrl: github.url } });
afterAll(async () => {
  await latchkey.close();
  await github.close();
});
beforeEach(() => {
  github.keys = [KEY];
  github.broken = undefined;
});

const match = (token: string) => ({ token, type: "acme_api_key", ...PLACE });

describe("a match that GitHub has signed", () => {
  test("disables the key, is recorded with its place, and gets back that it is one", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key, key_id } = await dashboard.createKey();
    const { status, json } = await sendMatches(latchkey, [match(key)], KEY);
    expect(status).toBe(200);
    expect(json).toEqual([{ token_raw: key, token_type: "acme_api_key", label: "true_positive" }]);
    expect(await useKey(latchkey, key)).toBe("api_key_disabled");
    expect(await dashboard.result("get", { key_id })).toMatchObject({ leak_url: PLACE.url, leak_source: "content" });
    const [event] = await eventsOf(latchkey, dashboard.tenant, { actor_id: "github" });
    expect(event).toMatchObject({ action: "api_key.leaked", target_id: key_id, actor: { kind: "github" } });
  });

  test("gets back its label in the order of the list, also for keys that have ended", async () => {
    const dashboard = dashboardOf(latchkey);
    const [used, revoked] = [await dashboard.createKey(), await dashboard.createKey()];
    const publishable = await dashboard.createKey({ ...PUBLISHABLE, permissions: ["plans:read"] });
    await dashboard.result("revoke", { key_id: revoked.key_id });
    const tokens = [makeSecret("secret"), used.key, "nonsense", revoked.key, publishable.key, used.key];
    const { json } = await sendMatches(latchkey, tokens.map(match), KEY);
    const labels = ["false", "true", "false", "true", "false", "true"].map((word) => `${word}_positive`);
    expect(json.map(({ token_raw, label }: Record<string, string>) => [token_raw, label])).toEqual(
      tokens.map((token, n) => [token, labels[n]]),
    );
    expect(await useKey(latchkey, publishable.key)).toBe("publishable_key_requires_jwt");
  });

  test("may have an empty or an odd URL, no source and more members", async () => {
    const dashboard = dashboardOf(latchkey);
    for (const place of [
      { url: "" },
      { url: "some_url", source: null },
      { more: 1 },
      { url: `https://e.com/${"x".repeat(3_000)}` },
    ]) {
      const { key, key_id } = await dashboard.createKey();
      expect((await sendMatches(latchkey, [{ token: key, type: "t", ...place }], KEY)).status).toBe(200);
      const record = await dashboard.result("get", { key_id });
      expect(record.leaked_at).toBe(record.updated_at);
      expect(record.leak_url).toBeUndefined();
    }
  });

  test("is one of thousands without a bound of its own", async () => {
    const { key } = await dashboardOf(latchkey).createKey();
    const matches = Array.from({ length: 3_000 }, () => ({ token: makeSecret("secret"), type: "t", url: "" }));
    expect((await sendMatches(latchkey, [...matches, match(key)], KEY)).json).toHaveLength(3_001);
    expect(await useKey(latchkey, key)).toBe("api_key_disabled");
  });

  test("is counted by its reporter", async () => {
    const counted = async () => sumOf(await scrape(latchkey.url), "latchkey_leaked_keys_total", { reporter: "github" });
    const before = await counted();
    await sendMatches(latchkey, [match((await dashboardOf(latchkey).createKey()).key)], KEY);
    expect(await counted()).toBe(before + 1);
  });
});

describe("a request is 401, and disables nothing,", () => {
  const other = newScannerKey(KEY.identifier);
  const body = (key: string) => JSON.stringify([match(key)]);
  const CASES: [string, (key: string) => readonly [body: string, headers: Record<string, string>]][] = [
    ["without headers", (key) => [body(key), {}]],
    ["with a signature of another key", (key) => [body(key), signedBy(other, body(key))]],
    ["with an altered body", (key) => [`${body(key)} `, signedBy(KEY, body(key))]],
    ["with the signature of another body", (key) => [body(key), signedBy(KEY, "[]")]],
    ["with an unknown identifier", (key) => [body(key), signedBy(newScannerKey("unknown"), body(key))]],
    [
      "without an identifier",
      (key) => [body(key), { ...signedBy(KEY, body(key)), "github-public-key-identifier": "" }],
    ],
    [
      "with an empty signature",
      (key) => [body(key), { ...signedBy(KEY, body(key)), "github-public-key-signature": "" }],
    ],
    [
      "with a signature that is no base64",
      (key) => [body(key), { ...signedBy(KEY, body(key)), "github-public-key-signature": "x!" }],
    ],
    [
      "with a signature that is no ASN.1",
      (key) => [body(key), { ...signedBy(KEY, body(key)), "github-public-key-signature": "AAAA" }],
    ],
    [
      "with a very long signature",
      (key) => [body(key), { ...signedBy(KEY, body(key)), "github-public-key-signature": "A".repeat(8_000) }],
    ],
  ];

  test.each(CASES)("%s", async (_what, request) => {
    const { key } = await dashboardOf(latchkey).createKey();
    const [text, headers] = request(key);
    const answer = await latchkey.call(GITHUB_LEAKS, text, headers);
    expect([answer.status, answer.json.denial_reason]).toEqual([401, "missing_credentials"]);
    expect(answer.json.message).toContain("The request is not signed by GitHub");
    expect(await useKey(latchkey, key)).toBe("admitted");
  });

  test("with a key on another curve, which GitHub's keys are not", async () => {
    const odd = newScannerKey("odd", "P-384");
    github.keys = [KEY, odd];
    latchkey.clock.advance(2 * MINUTE);
    expect((await sendMatches(latchkey, [], odd)).status).toBe(401);
    expect((await sendMatches(latchkey, [], KEY)).status).toBe(200);
  });
});

test.each(["{}", '"x"', "[1]", '[{"token":1,"type":"t"}]', '[{"token":"x"}]', "[", "\u00ff"])(
  "the signed body %j is 400",
  async (text) => {
    const { status, json } = await sendMatches(latchkey, text, KEY);
    expect([status, json.code]).toEqual([400, "invalid_argument"]);
  },
);

test("an unknown identifier is looked for once a minute at most, and a new key of GitHub is found by it", async () => {
  latchkey.clock.advance(2 * MINUTE);
  await sendMatches(latchkey, [], KEY);
  const before = github.fetches;
  expect((await sendMatches(latchkey, [], NEXT)).status).toBe(401);
  for (let n = 0; n < 5; n++) expect((await sendMatches(latchkey, [], NEXT)).status).toBe(401);
  expect(github.fetches).toBe(before + 1);
  github.keys = [KEY, NEXT];
  latchkey.clock.advance(MINUTE);
  const statuses = await Promise.all(
    Array.from({ length: 5 }, async () => (await sendMatches(latchkey, [], NEXT)).status),
  );
  expect(statuses).toEqual([200, 200, 200, 200, 200]);
  expect(github.fetches).toBe(before + 2);
  await sendMatches(latchkey, [], KEY);
  expect(github.fetches).toBe(before + 2);
});

describe("while GitHub's keys cannot be fetched", () => {
  test.each([
    ["is away", { status: 503, body: "" }],
    ["redirects", { status: 302, body: "" }],
    ["has no JSON", { status: 200, body: "<html>" }],
    ["has another document", { status: 200, body: '{"keys":[]}' }],
    ["sends too much", { status: 200, body: " ".repeat(1_000_000) }],
  ])("because the server %s, a report is 503 with Retry-After, and a later one is taken", async (_what, broken) => {
    const own = await startLatchkey({ config: { githubKeysUrl: github.url } });
    const { key } = await dashboardOf(own).createKey();
    github.broken = broken;
    const answer = await sendMatches(own, [match(key)], KEY);
    expect([answer.status, answer.json.code]).toEqual([503, "unavailable"]);
    expect(answer.json.message).toBe("GitHub's public keys could not be fetched; retry.");
    const seconds = Number(answer.headers.get("retry-after"));
    expect(seconds).toBeGreaterThan(0);
    expect(own.logLines.join("")).toContain("GitHub's public keys could not be fetched");
    github.broken = undefined;
    own.clock.advance(1_000 * seconds);
    expect((await sendMatches(own, [match(key)], KEY)).status).toBe(200);
    expect(await useKey(own, key)).toBe("api_key_disabled");
    await own.close();
  });

  test("known keys are used for a day", async () => {
    latchkey.clock.advance(2 * HOUR);
    expect((await sendMatches(latchkey, [], KEY)).status).toBe(200);
    github.broken = { status: 500, body: "" };
    latchkey.clock.advance(23 * HOUR);
    expect((await sendMatches(latchkey, [], KEY)).status).toBe(200);
    latchkey.clock.advance(2 * HOUR);
    expect((await sendMatches(latchkey, [], KEY)).status).toBe(503);
  });

  test("a key that GitHub has withdrawn is used for an hour at most", async () => {
    latchkey.clock.advance(2 * MINUTE);
    github.keys = [KEY, NEXT];
    expect((await sendMatches(latchkey, [], NEXT)).status).toBe(200);
    github.keys = [KEY];
    latchkey.clock.advance(HOUR);
    expect((await sendMatches(latchkey, [], NEXT)).status).toBe(401);
  });
});

describe("from one address", () => {
  const each20 = async (send: () => Promise<{ status: number }>, expected: number) => {
    for (let n = 0; n < 50; n++) {
      const statuses = await Promise.all(Array.from({ length: 20 }, async () => (await send()).status));
      expect(new Set(statuses)).toEqual(new Set([expected]));
    }
  };

  test("GitHub may send a thousand requests in a minute", async () => {
    const own = await startLatchkey({ config: { githubKeysUrl: github.url } });
    await each20(() => sendMatches(own, [], KEY), 200);
    const { status, headers } = await sendMatches(own, [], KEY);
    expect([status, Number(headers.get("retry-after")) > 0]).toEqual([429, true]);
    await own.close();
  });

  test("requests that GitHub has not signed do not shut it out, however many they are", async () => {
    const own = await startLatchkey({ config: { githubKeysUrl: github.url } });
    await each20(() => own.call(GITHUB_LEAKS, "[]"), 401);
    await each20(() => own.call(GITHUB_LEAKS, "[]", signedBy(KEY, "[1]")), 401);
    const { key } = await dashboardOf(own).createKey();
    expect((await sendMatches(own, [match(key)], KEY)).status).toBe(200);
    expect(await useKey(own, key)).toBe("api_key_disabled");
    await own.close();
  });
});

describe("the path", () => {
  test("is there only where the operator has switched it on", async () => {
    expect((await (await sharedLatchkey()).call(GITHUB_LEAKS, "[]")).status).toBe(404);
  });

  test("takes only POST", async () => {
    const response = await fetch(latchkey.url + GITHUB_LEAKS);
    expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
  });
});
