// promise: roles.claim, roles.user-claims, scopes.files, operator.token
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mistakes } from "../../test/harness/config-mistakes.ts";
import { reservedRoles } from "./access.ts";
import { type Config, readConfig } from "./config.ts";
import type { Environment } from "./environment.ts";

const OIDC: Environment = {
  OIDC_ISSUER: "https://idp.example/",
  OIDC_JWKS_URL: "https://idp.example/jwks.json",
  OIDC_AUDIENCE: "dashboard",
};
const BY_ROLE: Environment = { ...OIDC, OIDC_ROLES_CLAIM: "roles" };
const TOKEN = "0123456789abcdef0123456789abcdef";
const REPORTS = { name: "reports:read", description: "Read reports." };

let folder: string;
let files = 0;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "latchkey-access-"));
});

afterAll(() => rmSync(folder, { recursive: true }));

/** A file with this JSON, or with this text as it is. */
function file(content: unknown): string {
  const path = join(folder, `${files++}.json`);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

function read(env: Environment): Config {
  return readConfig({ ...BY_ROLE, ...env });
}

describe("ROLES_FILE", () => {
  const roles = (content: unknown): string[] => mistakes({ ...BY_ROLE, ROLES_FILE: file(content) });

  test("adds roles to the built-in ones, and replaces those of the same name", () => {
    const content = { support: ["users:read", "users:read"], viewer: [], "org:admin": ["*"], ops: ["system:*"] };
    const { access } = read({ ROLES_FILE: file(content) });
    expect([...access.roles.keys()]).toEqual(["owner", "admin", "developer", "viewer", "support", "org:admin", "ops"]);
    expect(access.roles.get("support")).toEqual(["users:read"]);
    expect(access.roles.get("viewer")).toEqual([]);
    expect(access.roles.get("owner")).toEqual(["*"]);
    expect(access.rolesClaim).toBe("roles");
  });

  test("takes the platform's own scopes and their wildcards", () => {
    const env = { SCOPES_FILE: file([REPORTS]), ROLES_FILE: file({ support: ["reports:read", "reports:*"] }) };
    expect(read(env).access.roles.get("support")).toEqual(["reports:read", "reports:*"]);
  });

  test("takes the name of a property that every object has as a role like any other", () => {
    const { roles } = read({ ROLES_FILE: file('{"__proto__": ["users:read"], "constructor": ["plans:read"]}') }).access;
    expect([roles.get("__proto__"), roles.get("constructor"), roles.get("toString")]).toEqual([
      ["users:read"],
      ["plans:read"],
      undefined,
    ]);
  });

  test.each<[string, unknown, string]>([
    ["a list", ["users:read"], "must hold an object such as"],
    ["a text", '"admin"', "must hold an object such as"],
    ["null", null, "must hold an object such as"],
    ["no JSON", "{support: []}", "names a file that is not JSON"],
    ["nothing", "", "names a file that is not JSON"],
    ["a role twice", '{"support": [], "support": ["*"]}', "names a file that has the member support twice"],
    ["a role that is not a list", { support: "users:read" }, 'role "support": must be a list of scopes'],
    ["a scope that is not a string", { support: ["*", 1] }, 'role "support": scope 1 must be a string'],
    [
      "an unknown scope",
      { support: ["users:raed"] },
      'role "support": scope 0 is not a known scope; is users:read meant?',
    ],
    ["a wildcard of no domain", { support: ["*", "hunter2:*"] }, 'role "support": scope 1 is not a known scope'],
    ["an empty scope", { support: [""] }, 'role "support": scope 0 is not a known scope'],
    ["an empty name", { "": [] }, 'role "": the name must be 1 to 256 characters, some visible'],
    ["a blank name", { " ": [] }, 'role " ": the name must be 1 to 256 characters, some visible'],
    ["a name of 257 characters", { ["r".repeat(257)]: [] }, ": the name must be 1 to 256 characters, some visible"],
  ])("is refused with %s", (_what, content, problem) => {
    expect(roles(content)).toEqual([expect.stringContaining(problem)]);
    expect(roles(content).join()).toMatch(/^ROLES_FILE /);
    expect(roles(content).join()).not.toContain("hunter2");
  });

  test("may have a name of 256 characters, however long each is", () => {
    expect(roles({ ["𝒓".repeat(256)]: [] })).toEqual([]);
    expect(roles({ ["𝒓".repeat(257)]: [] })).toHaveLength(1);
  });

  test("names the roles that list reserved scopes, which have no effect outside the operator's tenant", () => {
    expect(reservedRoles(read({}).access)).toEqual([]);
    const content = { ops: ["system:*"], all: ["*"], viewer: ["plans:read", "tenants:read"], support: ["users:read"] };
    expect(reservedRoles(read({ ROLES_FILE: file(content) }).access)).toEqual(["viewer", "ops"]);
  });

  test("that cannot be read is refused with the code of the system, without its path", () => {
    const missing = mistakes({ ...BY_ROLE, ROLES_FILE: join(folder, "hunter2") });
    expect(missing).toEqual(["ROLES_FILE names a file that cannot be read (ENOENT)"]);
    expect(mistakes({ ...BY_ROLE, ROLES_FILE: folder })).toEqual([
      "ROLES_FILE names a file that cannot be read (EISDIR)",
    ]);
  });

  test("has no effect without the claim of roles, which is refused", () => {
    const ROLES_FILE = file({ support: [] });
    expect(mistakes({ ...OIDC, ROLES_FILE })).toEqual([
      "ROLES_FILE has no effect without OIDC_ROLES_CLAIM, the claim that holds the roles, or ROLES_FROM_MEMBERSHIP=true",
    ]);
    expect(mistakes({ ...OIDC, ROLES_FILE, ROLES_FROM_MEMBERSHIP: "true" })).toEqual([]);
    // The claim is named, but wrong: one mistake, not two.
    expect(mistakes({ ...OIDC, ROLES_FILE, OIDC_ROLES_CLAIM: "user_metadata.roles" })).toHaveLength(1);
  });
});

describe("SCOPES_FILE", () => {
  const scopes = (content: unknown): string[] => mistakes({ SCOPES_FILE: file(content) });

  test("adds scopes, in their order, after the built-in ones; none is for publishable keys unless it says so", () => {
    const own = [REPORTS, { name: "a-b_1:c-d_2", description: "Do it.", publishable: true }];
    const { catalogue } = readConfig({ SCOPES_FILE: file(own) }).access;
    expect(catalogue.scopes.slice(-2)).toEqual([{ ...REPORTS, publishable: false }, own[1]]);
    expect(catalogue.blockedForPublishable("reports:read")).toBe("reports:read");
    expect(catalogue.blockedForPublishable("a-b_1:c-d_2")).toBeUndefined();
  });

  test("may add a scope to a built-in domain", () => {
    const { catalogue } = readConfig({ SCOPES_FILE: file([{ ...REPORTS, name: "plans:archive" }]) }).access;
    expect(catalogue.isAction("plans:archive")).toBe(true);
  });

  test.each<[string, unknown, string]>([
    ["an object", REPORTS, "must hold a list such as"],
    ["no JSON", "[{", "names a file that is not JSON"],
    ["a member twice", '[{"name": "a:b", "name": "a:c"}]', "names a file that has the member 0.name twice"],
    ["an entry that is a text", ["reports:read"], "entry 0: must be an object"],
    ["null", [REPORTS, null], "entry 1: must be an object"],
    ["an unknown member", [{ ...REPORTS, admin: true }], 'entry 0: has the unknown member "admin"'],
    ["no name", [{ description: "Do it." }], "entry 0: name is required, as a string"],
    ["a built-in scope", [{ ...REPORTS, name: "plans:read" }], "entry 0: name: plans:read is built in"],
    ["everything", [{ ...REPORTS, name: "*" }], "entry 0: name must be no wildcard"],
    ["a wildcard", [{ ...REPORTS, name: "reports:*" }], "entry 0: name must be no wildcard"],
    ["a wildcard within", [{ ...REPORTS, name: "rep*:read" }], "entry 0: name must be no wildcard"],
    ...["hunter2", "Reports:read", "reports:read ", "1:2", "a:b:c", ":read", "a:", "é:a", `${"a".repeat(64)}:b`].map(
      (name) => [`the name ${name}`, [{ ...REPORTS, name }], "entry 0: name must be"] as [string, unknown, string],
    ),
    ["a scope twice", [REPORTS, REPORTS], "entry 1: name is that of an earlier entry"],
    ["no description", [{ name: "a:b" }], "entry 0: description is required"],
    ["a blank description", [{ name: "a:b", description: " " }], "entry 0: description is required"],
    ["a long one", [{ name: "a:b", description: "x".repeat(1_025) }], "entry 0: description must be at most 1024"],
    ["publishable as text", [{ ...REPORTS, publishable: "yes" }], "entry 0: publishable must be true or false"],
    ["publishable null", [{ ...REPORTS, publishable: null }], "entry 0: publishable must be true or false"],
    [
      "a publishable scope of a domain that publishable keys cannot hold",
      [{ ...REPORTS, name: "billing:pay", publishable: true }],
      "entry 0: publishable must be false, because publishable keys can hold nothing of billing:*",
    ],
  ])("is refused with %s", (_what, content, problem) => {
    const [line = "", ...others] = scopes(content);
    expect(others).toEqual([]);
    expect(line).toContain(problem);
    expect(line).toMatch(/^SCOPES_FILE /);
    expect(line).not.toContain("hunter2");
  });
});

describe("OPERATOR_TOKEN", () => {
  const tokens = (value: string) => readConfig({ OPERATOR_TOKEN: value }).operatorTokens;

  test("is absent, one, or two for a change", () => {
    expect(readConfig({}).operatorTokens).toEqual([]);
    expect(tokens(" ")).toEqual([]);
    expect(tokens(TOKEN)).toEqual([TOKEN]);
    expect(tokens(` ${TOKEN} , ${TOKEN}2`)).toEqual([TOKEN, `${TOKEN}2`]);
  });

  test.each([
    ["31 characters", `hunter2${TOKEN.slice(8)}`],
    ["three tokens", `${TOKEN}1,${TOKEN}2,${TOKEN}3`],
    ["a short one beside a good one", `${TOKEN},hunter2`],
    ["an empty one beside a good one", `${TOKEN},`],
    ["a comma alone", ","],
    ["a space within", `hunter2 ${TOKEN}`],
    ["the scheme before it", `Bearer ${TOKEN}`],
    ["a line break within", `hunter2\n${TOKEN}`],
    ["characters that a header cannot carry", `hünter2${TOKEN}`],
  ])("is refused as %s, without being shown", (_what, value) => {
    const [line = "", ...others] = mistakes({ OPERATOR_TOKEN: value });
    expect(others).toEqual([]);
    expect(line).toMatch(/^OPERATOR_TOKEN must be one or two secrets, .* at least 32 random visible ASCII characters/);
    expect(line).not.toMatch(/h.nter2|cdef/);
  });
});

describe("OPERATOR_TENANT", () => {
  test("is a tenant's id, in any form that a token may have it", () => {
    expect(readConfig({}).access.operatorTenant).toBeNull();
    expect(readConfig({ OPERATOR_TENANT: " the operator's " }).access.operatorTenant).toBe("the operator's");
  });

  test.each(["\u200b", "a\u0000b", "t".repeat(257)])("that no token can have is refused: %j", (value) => {
    expect(mistakes({ OPERATOR_TENANT: value })).toEqual([
      "OPERATOR_TENANT must be a tenant's id: 1 to 256 characters, containing a visible character and no control characters",
    ]);
  });
});

describe("OIDC_REQUIRED_CLAIMS", () => {
  test("are claims with their exact texts", () => {
    expect(read({ OIDC_REQUIRED_CLAIMS: '{"acr": "mfa", "a.b": ""}' }).dashboard?.requiredClaims).toEqual({
      acr: "mfa",
      "a.b": "",
    });
    expect(read({}).dashboard?.requiredClaims).toEqual({});
  });

  test.each([
    ["acr=hunter2", "is a text that is not JSON"],
    ['["hunter2"]', "must be a JSON object of claims and their values"],
    ['"hunter2"', "must be a JSON object of claims and their values"],
    ['{"acr": "hunter2", "acr": "hunter2"}', "is a text that has the member acr twice"],
    ['{"a": {"b\\n": "hunter2", "b\\n": 1}}', "is a text that has the member a.b? twice"],
    ['{"email_verified": true}', 'the value of the claim "email_verified" must be a string'],
    ['{"": "hunter2"}', "must not have a claim with an empty name"],
    ['{"__proto__": "hunter2"}', 'must not have a claim named "__proto__"'],
    [JSON.stringify({ [`c${"x".repeat(256)}`]: "hunter2" }), "must be at most 256 characters"],
    [JSON.stringify({ acr: "hunter2".repeat(147) }), 'the value of the claim "acr" must be at most 1024 characters'],
  ])("are refused as %s", (value, problem) => {
    const [line = "", ...others] = mistakes({ ...OIDC, OIDC_REQUIRED_CLAIMS: value });
    expect(others).toEqual([]);
    expect(line).toMatch(/^OIDC_REQUIRED_CLAIMS /);
    expect(line).toContain(problem);
    expect(line).not.toContain("hunter2");
  });
});

describe.each(["OIDC_TENANT_CLAIM", "OIDC_ROLES_CLAIM", "OIDC_USER_ID_CLAIM"])("%s", (name) => {
  test.each([
    ...["user_metadata", "user_metadata.roles", "unsafe_metadata.tenant.id", "https://example.com/user_metadata"],
    ...["https://example.com/user_metadata.roles", "user.unsafe_metadata.role", "User_Metadata.x", "unsafeMetadata.x"],
  ])("within what users edit themselves is refused: %s", (claim) => {
    expect(mistakes({ ...OIDC, [name]: claim })).toEqual([
      `${name} must not lie within user_metadata or unsafe_metadata: users edit them themselves`,
    ]);
  });

  test.each(["app_metadata.x", "public_metadata.x", "user_metadata_id", "my_user_metadata", "metadata.user"])(
    "may be %s",
    (claim) => {
      expect(mistakes({ ...OIDC, [name]: claim })).toEqual([]);
    },
  );
});

test("all mistakes about rights are reported together, each with its variable and entry", () => {
  const lines = mistakes({
    ...OIDC,
    OIDC_USER_ID_CLAIM: "user_metadata.id",
    OIDC_TENANT_CLAIM: "unsafe_metadata.tenant",
    OIDC_ROLES_CLAIM: "user_metadata.roles",
    OIDC_REQUIRED_CLAIMS: '{"acr": 1}',
    SCOPES_FILE: file([{ name: "hunter2" }, REPORTS, { ...REPORTS, name: "*" }]),
    ROLES_FILE: file({ support: ["hunter2"], sales: ["reports:read"], auditor: "hunter2" }),
    OPERATOR_TOKEN: "hunter2",
    OPERATOR_TENANT: "\u200b",
  });
  expect(lines.map((line) => /^\w+(?: entry \d| role "\w+")?/.exec(line)?.[0])).toEqual([
    "OIDC_USER_ID_CLAIM",
    "OIDC_TENANT_CLAIM",
    "OIDC_REQUIRED_CLAIMS",
    "SCOPES_FILE entry 0",
    "SCOPES_FILE entry 2",
    "OIDC_ROLES_CLAIM",
    'ROLES_FILE role "support"',
    'ROLES_FILE role "auditor"',
    "OPERATOR_TENANT",
    "OPERATOR_TOKEN",
  ]);
  expect(lines.join()).not.toContain("hunter2");
});
