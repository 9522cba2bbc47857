// promise: fence.denies, fence.order, fence.form, callers.address
import { beforeAll, describe, expect, test } from "vitest";
import { expectInvalid } from "../harness/error-answers.ts";
import { type Answer, type JsonObject, toAnswer } from "../harness/http.ts";
import { type Dashboard, dashboardOf, PUBLISHABLE } from "../harness/key-management.ts";
import { type PublishableService, sharedPublishable } from "../harness/publishable.ts";
import { trusting } from "../harness/trusted-proxies.ts";

type Headers = Record<string, string>;

const VERIFY = "/api/v1/auth/verify";
const INSIDE = { "x-forwarded-for": "203.0.113.7" };
const OUTSIDE = { "x-forwarded-for": "198.51.100.7" };
/** Two headers that contradict each other: one of them is the client's own. */
const UNKNOWN = { ...INSIDE, forwarded: "for=198.51.100.7" };
const BROWSER = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "cors" };
const IPS = ["203.0.113.0/24", "2001:db8::1"];
const ORIGINS = ["https://app.example", "capacitor://localhost"];

let service: PublishableService;
let latchkey: PublishableService["latchkey"];
beforeAll(async () => {
  service = await sharedPublishable({ trustedProxies: trusting(["127.0.0.1"]) });
  latchkey = service.latchkey;
});

/** Ways to have a caller checked. Each gets the reason of a denial. */
const WAYS: Readonly<Record<string, (headers: Headers) => Promise<Answer>>> = {
  "a call": (headers) => latchkey.call("/api/v1/llm/gateway/list-threads", {}, headers),
  "a call with a deadline": (headers) =>
    latchkey.call("/latchkey.v1.GatewayService/ListThreads", {}, { ...headers, "connect-timeout-ms": "60000" }),
  verify: (headers) => latchkey.call(VERIFY, {}, headers),
  "/auth/check": async (headers) => toAnswer(await fetch(`${latchkey.url}/auth/check`, { headers })),
};

const outcomeOf = ({ status, json }: Answer) => (status === 200 ? "admitted" : `${status} ${json.denial_reason}`);
const DENIED = "403 origin_not_allowed";

async function secretKey(fields: JsonObject): Promise<{ dashboard: Dashboard; key_id: string; headers: Headers }> {
  const dashboard = dashboardOf(latchkey);
  const { key, key_id } = await dashboard.createKey(fields);
  return { dashboard, key_id, headers: { "x-api-key": key } };
}

describe.each(Object.entries(WAYS))("%s", (_, send) => {
  test("with a key that has allowed_ips is admitted only from these addresses", async () => {
    const { headers } = await secretKey({ allowed_ips: IPS });
    for (const [from, expected] of [
      [INSIDE, "admitted"],
      [{ "x-forwarded-for": "2001:DB8:0::1" }, "admitted"],
      [{ "x-forwarded-for": "::ffff:203.0.113.7" }, "admitted"],
      [{ "x-forwarded-for": "203.0.113.7, 198.51.100.7" }, DENIED],
      [OUTSIDE, DENIED],
      [UNKNOWN, DENIED],
      [{}, DENIED],
    ] as const)
      expect(outcomeOf(await send({ ...headers, ...from })), JSON.stringify(from)).toBe(expected);
  });

  test.each(["unknown", "_hidden", "unix:", "(null)", "203.0.113.7, unknown", "unknown, 127.0.0.1"])(
    "with a key that is allowed for the proxies' network is denied where a proxy writes %j for the client",
    async (value) => {
      const { headers } = await secretKey({ allowed_ips: ["127.0.0.0/8", "203.0.113.0/24"] });
      expect(outcomeOf(await send(headers))).toBe("admitted");
      expect(outcomeOf(await send({ ...headers, "x-forwarded-for": value }))).toBe(DENIED);
      const forwarded = value.split(", ").map((node) => `for="${node}"`);
      expect(outcomeOf(await send({ ...headers, forwarded: forwarded.join(", ") }))).toBe(DENIED);
    },
  );

  test("with a publishable key that has allowed_origins is admitted only from these pages", async () => {
    const app = await service.newApp({ fields: { allowed_origins: ORIGINS } });
    for (const [origin, expected] of [
      ["https://app.example", "admitted"],
      ["capacitor://localhost", "admitted"],
      ["https://other.example", DENIED],
      ["null", DENIED],
      [undefined, DENIED],
    ] as const) {
      const headers = { ...app.headers(), ...BROWSER, ...(origin && { origin }) };
      expect(outcomeOf(await send(headers)), origin).toBe(expected);
    }
  });

  test("with a secret key is denied in a browser, and admitted with allow_browser", async () => {
    const { headers } = await secretKey({});
    const answer = await send({ ...headers, ...BROWSER });
    expect(outcomeOf(answer)).toBe(DENIED);
    expect(answer.json.message).toContain("use a publishable key");
    // Node's own fetch sends this, and tools that copy a browser's Origin exist.
    const tool = { origin: "https://app.example", "sec-fetch-mode": "cors", "user-agent": "Mozilla/5.0" };
    expect(outcomeOf(await send({ ...headers, ...tool }))).toBe("admitted");
    const lax = await secretKey({ allow_browser: true });
    expect(outcomeOf(await send({ ...lax.headers, ...BROWSER }))).toBe("admitted");
  });
});

describe("a denied request", () => {
  test("spends nothing, counts as failed by its reason, and its message shows nothing of the list", async () => {
    const { dashboard, key_id, headers } = await secretKey({
      allowed_ips: IPS,
      rate_limit: { requests_per_minute: 2 },
    });
    for (let n = 0; n < 5; n++) {
      const denied = await latchkey.call(VERIFY, {}, { ...headers, ...OUTSIDE });
      expect(outcomeOf(denied)).toBe(DENIED);
      expect(denied.json).toMatchObject({ code: "permission_denied", message: expect.stringContaining("allowed_ips") });
      expect(denied.text).not.toMatch(/203\.0\.113|2001:db8|198\.51/);
      expect(denied.headers.get("x-ratelimit-remaining")).toBe("2");
    }
    expect((await latchkey.call(VERIFY, {}, { ...headers, ...INSIDE })).headers.get("x-ratelimit-remaining")).toBe("1");
    const { json } = await dashboard.call("usage", { key_id, step: "hour" });
    expect(json.result).toEqual({ total_verifications: 6, successful_verifications: 1, failed_verifications: 5 });
    expect(json.series.at(-1).denied).toEqual({ origin_not_allowed: 5 });
  });

  test("is denied after the key's status, and before its user's token, limit and scopes", async () => {
    const fields = { allowed_ips: IPS, rate_limit: { requests_per_minute: 1 }, permissions: ["plans:read"] };
    const app = await service.newApp({ fields });
    const dashboard = dashboardOf(latchkey, app.tenant);
    const outcome = async (headers: Headers) =>
      outcomeOf(await latchkey.call("/api/v1/llm/gateway/list-threads", {}, headers));
    expect(await outcome({ ...app.headers("x"), ...OUTSIDE })).toBe(DENIED);
    expect(await outcome({ ...app.keyHeader, ...OUTSIDE })).toBe(DENIED);
    expect(await outcome({ ...app.headers("x"), ...INSIDE })).toBe("401 jwt_malformed");
    expect(await outcome({ ...app.headers(), ...INSIDE })).toBe("403 insufficient_scope");
    expect(await outcome({ ...app.headers(), ...INSIDE })).toBe("429 rate_limited");
    expect(await outcome({ ...app.headers(), ...OUTSIDE })).toBe(DENIED);
    await dashboard.result("disable", { key_id: app.keyId });
    expect(await outcome({ ...app.headers(), ...OUTSIDE })).toBe("401 api_key_disabled");
  });

  test("is a page's to read, and a preflight is as before", async () => {
    const { headers } = await secretKey({});
    const page = { origin: "https://app.example", ...BROWSER };
    const denied = await latchkey.call(VERIFY, {}, { ...headers, ...page });
    expect(denied.headers.get("access-control-allow-origin")).toBe("*");
    const asked = { ...page, "access-control-request-method": "POST", "access-control-request-headers": "x-api-key" };
    expect((await fetch(latchkey.url + VERIFY, { method: "OPTIONS", headers: asked })).status).toBe(204);
  });
});

describe("the members of a key", () => {
  const SECRET = { allowed_ips: IPS, allow_browser: true };
  const NONE = { allowed_ips: [], allowed_origins: [] };
  const fenceOf = ({ allowed_ips, allowed_origins, allow_browser }: JsonObject) => ({
    ...{ allowed_ips, allowed_origins, allow_browser },
  });

  test("are returned as they were created, lists of texts without duplicates, empty where they are not set", async () => {
    const { dashboard, key_id } = await secretKey({ ...SECRET, allowed_ips: [...IPS, ...IPS] });
    expect(fenceOf(await dashboard.result("get", { key_id }))).toEqual({ ...NONE, ...SECRET });
    expect(fenceOf((await dashboard.call("list", {})).json.keys[0])).toEqual({ ...NONE, ...SECRET });
    const publishable = await dashboard.createKey({ ...PUBLISHABLE, allowed_origins: ORIGINS });
    expect(fenceOf(await dashboard.result("get", { key_id: publishable.key_id }))).toEqual({
      ...NONE,
      allowed_origins: ORIGINS,
    });
    for (const fields of [{}, { allow_browser: false }, PUBLISHABLE]) {
      const record = await dashboard.result("get", { key_id: (await dashboard.createKey(fields)).key_id });
      expect(fenceOf(record)).toEqual(NONE);
      expect(record).not.toHaveProperty("allow_browser");
    }
  });

  test("change with an update that names them, bind at the next request, and are cleared", async () => {
    const { dashboard, key_id, headers } = await secretKey({ rate_limit: { requests_per_minute: 50 } });
    const outcome = async (from: Headers) => outcomeOf(await latchkey.call(VERIFY, {}, { ...headers, ...from }));
    expect(await outcome(OUTSIDE)).toBe("admitted");
    const unnamed = await dashboard.result("update", { key_id, ...SECRET, name: "b", update_mask: "name" });
    expect(fenceOf(unnamed)).toEqual(NONE);
    for (const update_mask of ["allowed_ips,allow_browser", "allowedIps, allowBrowser"]) {
      expect(fenceOf(await dashboard.result("update", { key_id, ...SECRET, update_mask }))).toEqual({
        ...NONE,
        ...SECRET,
      });
      expect(await outcome(OUTSIDE)).toBe(DENIED);
      expect(await outcome({ ...INSIDE, ...BROWSER })).toBe("admitted");
      expect(fenceOf(await dashboard.result("update", { key_id, update_mask }))).toEqual(NONE);
      expect(await outcome(OUTSIDE)).toBe("admitted");
      expect(await outcome({ ...INSIDE, ...BROWSER })).toBe(DENIED);
    }
    const app = await service.newApp();
    const update = { key_id: app.keyId, allowed_origins: ORIGINS, update_mask: "allowed_origins" };
    expect(fenceOf(await dashboardOf(latchkey, app.tenant).result("update", update))).toEqual({
      ...NONE,
      allowed_origins: ORIGINS,
    });
    expect(outcomeOf(await app.verify())).toBe(DENIED);
  });

  test("go over to the successor of a rotation", async () => {
    for (const fields of [SECRET, {}]) {
      const { dashboard, key_id } = await secretKey(fields);
      const { key_id: successor } = await dashboard.result("rotate", { key_id });
      expect(fenceOf(await dashboard.result("get", { key_id: successor }))).toEqual({ ...NONE, ...fields });
    }
  });

  test("are in the audit trail where they are set and where they change", async () => {
    const { dashboard, key_id } = await secretKey(SECRET);
    await dashboard.result("update", { key_id, allowed_ips: ["192.0.2.1"], update_mask: "allowed_ips,allow_browser" });
    await dashboard.createKey();
    const { json } = await latchkey.call("/api/v1/audit/list", {}, await latchkey.dashboard(dashboard.tenant));
    const [plain, updated, created] = json.events.map(({ changes }: JsonObject) => changes);
    expect(created).toMatchObject({ allowed_ips: { new: IPS }, allow_browser: { new: true } });
    expect(updated).toEqual({
      allowed_ips: { old: IPS, new: ["192.0.2.1"] },
      allow_browser: { old: true, new: null },
    });
    expect(Object.keys(plain)).not.toContain("allowed_ips");
  });

  test("are explained as what a request must have", async () => {
    const { dashboard, key_id } = await secretKey({ allowed_ips: IPS });
    const explain = async (body: JsonObject) =>
      (await latchkey.call(VERIFY, { explain: true, ...body }, await latchkey.dashboard(dashboard.tenant))).json
        .explanation;
    expect(await explain({ key_id })).toMatchObject({
      allowed: true,
      steps: [
        { name: "status", passed: true },
        {
          name: "source",
          passed: true,
          detail: "Requests must not come from a browser. Requests must come from 203.0.113.0/24, 2001:db8::1.",
        },
        { name: "rate_limit", passed: true },
      ],
    });
    const lax = await dashboard.createKey({ allow_browser: true });
    expect((await explain({ key_id: lax.key_id })).steps.map(({ name }: JsonObject) => name)).toEqual([
      "status",
      "rate_limit",
    ]);
  });
});

describe("a request is 400, names member and index, and changes nothing", () => {
  const cases: [JsonObject, string, string][] = [
    [{ allowed_ips: ["192.0.2.1", "10.1.2.3/8"] }, "allowed_ips[1]", "has bits set after the first 8"],
    [{ allowed_ips: ["fe80::1%eth0"] }, "allowed_ips[0]", "is neither an IP address nor a CIDR"],
    [{ allowed_ips: ["192.0.2.1:443"] }, "allowed_ips[0]", "is neither"],
    [{ allowed_ips: ["localhost"] }, "allowed_ips[0]", "is neither"],
    [{ allowed_ips: Array(51).fill("192.0.2.1") }, "allowed_ips", "50"],
    [{ allowed_ips: "192.0.2.1" }, "allowed_ips", "must be an array"],
    [{ allowed_ips: [7] }, "allowed_ips[0]", "must be a string"],
    [{ allowed_origins: ["https://app.example"] }, "allowed_origins", "only for publishable keys"],
    [
      { ...PUBLISHABLE, allowed_origins: ["https://app.example/"] },
      "allowed_origins[0]",
      "is sent as https://app.example",
    ],
    [{ ...PUBLISHABLE, allowed_origins: ["https://*.example"] }, "allowed_origins[0]", "must have no wildcard"],
    [{ ...PUBLISHABLE, allowed_origins: Array(51).fill("https://a.example") }, "allowed_origins", "50"],
    [{ ...PUBLISHABLE, allow_browser: true }, "allow_browser", "only for secret keys"],
    [{ allow_browser: "yes" }, "allow_browser", "must be true or false"],
  ];

  test.each(cases)("case %#", async ({ keyType, publishableConfig, ...fields }, member, says) => {
    const dashboard = dashboardOf(latchkey);
    const type = keyType === undefined ? {} : { keyType, publishableConfig };
    expectInvalid(
      await dashboard.call("create", { name: "a", permissions: ["plans:read"], ...type, ...fields }),
      member,
      says,
    );
    const { key_id } = await dashboard.createKey(type);
    const before = await dashboard.result("get", { key_id });
    const update_mask = Object.keys(fields).join(",");
    expectInvalid(await dashboard.call("update", { key_id, ...fields, update_mask }), member, says);
    expect(await dashboard.result("get", { key_id })).toEqual(before);
  });
});
