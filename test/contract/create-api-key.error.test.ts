// promise: keys.fields, keys.expiry, oidc.form, oidc.missing, scopes.catalogue, scopes.publishable
import { describe, expect, test } from "vitest";
import { expectInvalid } from "../harness/error-answers.ts";
import { type Dashboard, dashboardOf, instant, OIDC, PUBLISHABLE } from "../harness/key-management.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";

const VALID = { name: "a key", permissions: ["conversations:read"] };

const latchkey = await sharedLatchkey();

/** A tenant that is refused every key. The last test checks that it has none. */
const refused = dashboardOf(latchkey);

async function expectRefused(fields: Record<string, unknown>, field: string, ...says: string[]): Promise<void> {
  expectInvalid(await refused.call("create", { ...VALID, ...fields }), field, ...says);
}

async function expectNoKeys(dashboard: Dashboard): Promise<void> {
  expect((await dashboard.call("list", {})).json.pagination.total).toBe(0);
}

describe("name", () => {
  test.each([undefined, null, "", " ", "\t\n", "\u00a0\u3000", "\u0085", "\u0001", "\u200b\u2060", "\u2800", "\u3164"])(
    "the blank name %j is refused",
    (name) => expectRefused({ name }, "name"),
  );

  test.each([
    ["letters", "x".repeat(129)],
    ["emoji", "😀".repeat(129)],
  ])("129 %s are too many for a name", (_what, name) => expectRefused({ name }, "name", "128"));
});

describe("description", () => {
  test.each([
    ["letters", "x".repeat(1_025)],
    ["emoji", "😀".repeat(1_025)],
  ])("1,025 %s are too many for a description", (_what, description) =>
    expectRefused({ description }, "description", "1024"),
  );
});

describe("permissions", () => {
  // threat: P9
  test.each([undefined, null, []])("the permissions %j are refused", (permissions) =>
    expectRefused({ permissions }, "permissions", "required"),
  );

  // threat: P10
  test("65 different ones are too many", () =>
    expectRefused({ permissions: Array.from({ length: 65 }, (_, i) => `plans:x${i}`) }, "permissions", "64"));

  test("4,000 different ones are refused as quickly", () =>
    expectRefused({ permissions: Array.from({ length: 4_000 }, (_, i) => `plans:x${i}`) }, "permissions", "64"));

  // threat: P10
  test("a scope of half a megabyte is refused with a short message", () =>
    expectRefused({ permissions: ["x".repeat(500_000)] }, "permissions[0]"));

  // threat: P9
  test.each([
    "",
    " ",
    ":",
    "users",
    "read",
    "*:read",
    "*:*",
    "**",
    "u*",
    "users*",
    "users:**",
    "users:i*",
    ":*",
    "users:",
    "conversations:read ",
  ])("%j is not a scope", (scope) => expectRefused({ permissions: [scope] }, "permissions[0]", "is not a known scope"));

  test.each(["conversations:read ", " conversations:read", "conversations:read\n", "conversations:read,plans:read"])(
    "rejects %j as a scope: nothing is trimmed or split",
    (scope) => expectRefused({ permissions: [scope] }, "permissions[0]"),
  );

  // threat: P11
  test.each([
    "CONVERSATIONS:READ",
    "Conversations:read",
    "\uff43onversations:read",
    "\u0441onversations:read",
    "conversations\u200b:read",
    "conversations\uff1aread",
    "\uff0a",
  ])("the look-alike %j is not the scope", (scope) => expectRefused({ permissions: [scope] }, "permissions[0]"));

  // threat: P12
  test.each([
    ["conversations:raed", "conversations:read"],
    ["conversation:read", "conversations:read"],
    ["conversations:delete", "conversations:"],
    ["bilings:read", "billing:read"],
    ["users:impersonates", "users:impersonate"],
    ["plans.read", "plans:read"],
    ["USERS:read", "users:read"],
  ])("%s is unknown, and the message suggests %s", (scope, offered) =>
    expectRefused({ permissions: [scope] }, "permissions[0]", `did you mean "${offered}`),
  );

  test.each(["", "u*", "admin", "read", "foo"])("the message about %j does not suggest the scope *", async (scope) => {
    for (const type of [{}, PUBLISHABLE]) {
      const answer = await dashboardOf(latchkey).call("create", { ...VALID, ...type, permissions: [scope] });
      expectInvalid(answer, "permissions[0]", "is not a known scope", "list is closed: POST /api/v1/scopes/list");
      expect(answer.json.message).not.toContain('did you mean "*"');
    }
  });

  test("the message names the index of the one unknown scope", () =>
    expectRefused({ permissions: ["plans:read", "plans:read", "plans:write", "foo:bar"] }, "permissions[3]"));
});

// threat: P1
describe("permissions of a publishable key", () => {
  // threat: P2
  test.each([
    ["*", "*"],
    ["users:impersonate", "users:impersonate"],
    ["users:*", "users:impersonate"],
    ["billing:*", "billing:*"],
    ["billing:read", "billing:*"],
    ["billing:write", "billing:*"],
    ["api_keys:*", "api_keys:*"],
    ["api_keys:read", "api_keys:*"],
    ["webhooks:*", "webhooks:*"],
    ["webhooks:read", "webhooks:*"],
    ["tenants:*", "tenants:*"],
    ["tenants:read", "tenants:*"],
    ["system:*", "system:*"],
    ["system:read", "system:*"],
  ])("%s is refused for its effect on %s", (scope, blocked) =>
    expectRefused({ ...PUBLISHABLE, permissions: ["conversations:read", scope] }, "permissions[1]", `"${blocked}"`),
  );

  // threat: P3
  test.each(["**", "*:*", "u*", "users:i*", "users*", ":*", "billing*", "Billing:read", "webhooks:x"])(
    "the odd wildcard %s is refused",
    (scope) => expectRefused({ ...PUBLISHABLE, permissions: [scope] }, "permissions[0]"),
  );

  // threat: P2
  test("a blocked scope is refused even without a publishableConfig", () =>
    expectRefused({ keyType: "KEY_TYPE_PUBLISHABLE", permissions: ["*"] }, "permissions[0]"));
});

describe("rate_limit", () => {
  const LIMITS = ["requests_per_minute", "requests_per_hour", "burst_size"];

  // threat: L10
  test.each(LIMITS)("rejects a %s that is not an integer from 0 to 2^31-1", async (limit) => {
    for (const value of [-1, -2_147_483_648, 1.5, 2_147_483_648, 1e10, "0x10", "1e2", " 1", "1.5", "", true, {}, []]) {
      await expectRefused({ rate_limit: { [limit]: value } }, `rate_limit.${limit}`);
    }
  });
});

describe("expires_at", () => {
  // threat: R14
  test("now and the past are refused", async () => {
    for (const ms of [0, -1, -3_600_000]) {
      await expectRefused({ expires_at: instant(latchkey, ms) }, "expires_at", "future");
    }
    await expectRefused({ expires_at: "0001-01-01T00:00:00Z" }, "expires_at");
    await expectRefused({ expires_at: "1970-01-01T00:00:00Z" }, "expires_at", "future");
  });
});

describe("publishableConfig", () => {
  const withOidc = (oidc: object) => ({ keyType: "KEY_TYPE_PUBLISHABLE", publishableConfig: { oidc } });

  // threat: J27
  test.each([{}, { oidc: {} }, { oidc: OIDC }])(
    "a secret key with the publishableConfig %j is refused",
    async (config) => {
      await expectRefused({ publishableConfig: config }, "publishableConfig", "KEY_TYPE_PUBLISHABLE");
      await expectRefused({ keyType: "KEY_TYPE_SECRET", publishableConfig: config }, "publishableConfig");
    },
  );

  // threat: J27
  test.each(["issuer", "jwksUrl", "audience"])("an oidc whose %s is missing or empty is refused", async (member) => {
    for (const value of [undefined, null, "", " ", "\u200b"]) {
      await expectRefused(withOidc({ ...OIDC, [member]: value }), `publishableConfig.oidc.${member}`);
    }
  });

  test("an empty oidc is refused, and its first member named", () =>
    expectRefused(withOidc({}), "publishableConfig.oidc.issuer", "required"));

  test("a jwksUrl that is not an absolute https URL is refused", async () => {
    for (const url of [
      "idp.example.com",
      "//idp.example.com",
      "/jwks",
      "ftp://idp.example.com/",
      "http://idp.example.com/",
      "https://",
      "javascript:alert(1)",
      "file:///etc/passwd",
      `https://idp.example.com/${"x".repeat(2_048)}`,
    ]) {
      await expectRefused(withOidc({ ...OIDC, jwksUrl: url }), "publishableConfig.oidc.jwksUrl");
    }
  });

  test("an issuer that is a template, too long or not visible is refused, with the reason", async () => {
    const field = "publishableConfig.oidc.issuer";
    const template = { ...OIDC, issuer: "https://login.microsoftonline.com/{tenantid}/v2.0" };
    await expectRefused(withOidc(template), field, "would let in the users of every tenant");
    for (const issuer of ["x".repeat(2_049), "a b", "a\n"]) await expectRefused(withOidc({ ...OIDC, issuer }), field);
  });

  test.each<[string, unknown, string]>([
    ["audienceClaim", "sub", "must be one of aud, azp, client_id; any other claim might be one that users set"],
    ["audienceClaim", 5, "must be a string"],
    ["authorizedParties", "web", "must be an array"],
    ["authorizedParties", [], "must have a value"],
    ["authorizedParties", [null], "must be a text"],
    ["authorizedParties", [[[["web"]]]], "must be a text"],
    ["tokenType", "refresh", "must be one of any, id, access"],
    ["claimRules", {}, "must be an array"],
    ["claimRules", [{ claim: "email_verified", equals: null }], "must have a text, a number or a boolean in equals"],
    ["claimRules", [{ name: "email_verified", equals: true }], "must name a claim"],
    ["claimRules", [{ claim: "groups", contains: ["staff"] }], "must have a text that is not empty in contains"],
    ["userIdPrefix", "x".repeat(65), "must be at most 64 characters"],
  ])("an oidc with the %s %j is refused", async (member, value, says) => {
    await expectRefused(withOidc({ ...OIDC, [member]: value }), `publishableConfig.oidc.${member}`, says);
  });

  test("a list in an oidc that is nested too deep, or has a text that cannot be stored, is refused", async () => {
    const deep = JSON.parse(`${"[".repeat(2_000)}${"]".repeat(2_000)}`);
    for (const claimRules of [deep, [{ claim: "a\u0000", equals: 1 }], [{ "a\ud800": 1 }]])
      await expectRefused(withOidc({ ...OIDC, claimRules }), "publishableConfig.oidc.claimRules");
  });

  test("credentials in a jwksUrl are refused and not repeated", async () => {
    const answer = await dashboardOf(latchkey).call("create", {
      ...VALID,
      ...withOidc({ ...OIDC, jwksUrl: "https://user:hunter2@idp.example.com/" }),
    });
    expectInvalid(answer, "publishableConfig.oidc.jwksUrl");
    expect(answer.text).not.toContain("hunter2");
  });

  test("an audience, a claim name and a claim value that are too long are refused", async () => {
    await expectRefused(withOidc({ ...OIDC, audience: "x".repeat(1_025) }), "publishableConfig.oidc.audience");
    await expectRefused(withOidc({ ...OIDC, userIdClaim: "x".repeat(257) }), "publishableConfig.oidc.userIdClaim");
    for (const [requiredClaims, says] of [
      [
        { a: "v", ["x".repeat(257)]: "v" },
        `the name of the claim "${"x".repeat(128)}..." must be at most 256 characters`,
      ],
      [{ a: "v", role: "x".repeat(1_025) }, `the value of the claim "role" must be at most 1024 characters`],
      [{ "": "v" }, "empty name"],
      [Object.fromEntries(Array.from({ length: 33 }, (_, i) => [`c${i}`, "v"])), "at most 32 claims"],
    ] as const) {
      await expectRefused(withOidc({ ...OIDC, requiredClaims }), "publishableConfig.oidc.requiredClaims", says);
    }
  });

  test("an oidc of more than 16 KiB as JSON is refused, whatever makes it that long", async () => {
    const field = "publishableConfig.oidc.requiredClaims";
    const claims = (text: string) => Object.fromEntries(Array.from({ length: 32 }, (_, n) => [`c${n}`, text]));
    for (const text of ["x".repeat(600), "\u{1f600}".repeat(200), "\u0001".repeat(100), '"'.repeat(300)]) {
      await expectRefused(withOidc({ ...OIDC, requiredClaims: claims(text) }), field, "16384 bytes", "fewer");
    }
    const long = { audience: `a${"\u0001".repeat(1_023)}`, jwksUrl: `${OIDC.jwksUrl}?${"\u4e00".repeat(1_800)}` };
    const issuer = `${OIDC.issuer}${"\u4e00".repeat(1_800)}`;
    await expectRefused(withOidc({ ...OIDC, ...long, issuer }), "publishableConfig.oidc", "16384 bytes");
  });

  test("an oidc of 16 KiB as JSON is stored, and one byte more is refused", async () => {
    const requiredClaims = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`c${n}`, "x".repeat(800)]));
    const stored = { ...OIDC, userIdClaim: "sub", requiredClaims: { ...requiredClaims, last: "" } };
    const last = "x".repeat(16_384 - JSON.stringify(stored).length);
    const sent = (text: string) => withOidc({ ...OIDC, requiredClaims: { ...requiredClaims, last: text } });
    const dashboard = dashboardOf(latchkey);
    const { key_id } = await dashboard.createKey(sent(last));
    const { oidc } = (await dashboard.result("get", { key_id })).publishableConfig;
    expect(oidc).toEqual({ ...stored, requiredClaims: { ...requiredClaims, last } });
    await expectRefused(sent(`${last}x`), "publishableConfig.oidc.requiredClaims", "16384 bytes");
  });

  test("a required claim named __proto__ is refused, not dropped", async () => {
    const dashboard = dashboardOf(latchkey);
    const oidc = JSON.stringify(OIDC).replace("}", ',"requiredClaims":{"__proto__":"x"}}');
    const body = `{"name":"k","permissions":["plans:read"],"keyType":"KEY_TYPE_PUBLISHABLE","publishableConfig":{"oidc":${oidc}}}`;
    expectInvalid(await dashboard.call("create", body), "publishableConfig.oidc.requiredClaims");
    await expectNoKeys(dashboard);
  });
});

describe("keyType", () => {
  test.each(["KEY_TYPE_OTHER", "secret", "key_type_secret", "", 3, -1, 1.5, true, {}, []])(
    "rejects %j as a key type",
    (keyType) => expectRefused({ keyType }, "keyType", "KEY_TYPE_SECRET", "KEY_TYPE_PUBLISHABLE"),
  );
});

describe("members that a caller cannot set", () => {
  // threat: X16
  test.each([
    ...["key_id", "key", "key_prefix", "key_hash", "secret_hash", "status", "tenant_id", "tenantId", "created_by"],
    ...["created_at", "updated_at", "revoked_at", "rotated_to", "rotated_from", "last_used_at", "update_mask"],
  ])("a %s in the request is refused, not ignored", (member) => expectRefused({ [member]: "x" }, member));
});

test("no refused request left a key", () => expectNoKeys(refused));
