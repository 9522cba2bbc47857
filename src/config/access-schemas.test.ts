import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import rolesSchema from "../../docs/schemas/roles.schema.json" with { type: "json" };
import scopesSchema from "../../docs/schemas/scopes.schema.json" with { type: "json" };
import roles from "../../examples/access/roles.json" with { type: "json" };
import scopes from "../../examples/access/scopes.json" with { type: "json" };
import { createCatalogue } from "../domain/access/catalogue.ts";
import { readConfig } from "./config.ts";

const OIDC = { OIDC_ISSUER: "https://i.example", OIDC_JWKS_URL: "https://i.example/keys", OIDC_AUDIENCE: "a" };
const REPORTS = { name: "reports:read", description: "Read reports." };
const BUILT_IN = createCatalogue();

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "latchkey-schemas-"));
});

afterAll(() => rmSync(folder, { recursive: true }));

/** Whether the service starts with this content of the file, and whether the schema validates it. */
function verdicts(variable: "ROLES_FILE" | "SCOPES_FILE", validate: ValidateFunction, content: unknown) {
  const path = join(folder, "file.json");
  writeFileSync(path, JSON.stringify(content));
  let starts = true;
  try {
    readConfig({ ...OIDC, OIDC_ROLES_CLAIM: "roles", [variable]: path });
  } catch {
    starts = false;
  }
  return { starts, validates: validate(content) };
}

const ajv = new Ajv2020({ strict: true, strictTypes: false });
const [validRoles, validScopes] = [ajv.compile(rolesSchema), ajv.compile(scopesSchema)];
const ofRoles = (content: unknown) => verdicts("ROLES_FILE", validRoles, content);
const ofScopes = (content: unknown) => verdicts("SCOPES_FILE", validScopes, content);

test("the schemas and the service accept the examples", () => {
  for (const content of [roles, {}, ...rolesSchema.examples, { a: [], "b c": ["*", "plans:*"] }])
    expect(ofRoles(content), JSON.stringify(content)).toEqual({ starts: true, validates: true });
  for (const content of [scopes, [], ...scopesSchema.examples, [{ ...REPORTS, name: "billing:pay" }]])
    expect(ofScopes(content), JSON.stringify(content)).toEqual({ starts: true, validates: true });
});

describe("the schema and the service refuse", () => {
  test.each<[unknown]>([
    [[]],
    ["admin"],
    [null],
    [{ support: "users:read" }],
    [{ support: [1] }],
    [{ support: [""] }],
    [{ support: ["users"] }],
    [{ support: ["Users:read"] }],
    [{ support: ["*:read"] }],
    [{ "": [] }],
    [{ " ": [] }],
    [{ ["r".repeat(257)]: [] }],
  ])("the roles %j", (content) => {
    expect(ofRoles(content)).toEqual({ starts: false, validates: false });
  });

  test.each<[unknown]>([
    [REPORTS],
    ["reports:read"],
    [["reports:read"]],
    [[null]],
    [[{}]],
    [[{ name: "reports:read" }]],
    [[{ description: "Read reports." }]],
    ...[
      { admin: true },
      ...["*", "reports:*", "Reports:read", "reports", "a:b:c", ":read", `${"a".repeat(64)}:b`].map((name) => ({
        name,
      })),
      ...["", " ", "x".repeat(1_025), 1].map((description) => ({ description })),
      ...["yes", null, 1].map((publishable) => ({ publishable })),
      ...BUILT_IN.scopes.map(({ name }) => ({ name })),
    ].map((wrong): [unknown] => [[{ ...REPORTS, ...wrong }]]),
  ])("the scopes %j", (content) => {
    expect(ofScopes(content)).toEqual({ starts: false, validates: false });
  });

  test.each([...new Set(BUILT_IN.scopes.map(({ name }) => name.split(":")[0] ?? ""))])(
    "a publishable scope of %s if, and only if, publishable keys cannot hold the domain",
    (domain) => {
      const name = `${domain}:more`;
      const expected = BUILT_IN.blockedForPublishable(name) === undefined;
      expect(ofScopes([{ ...REPORTS, name, publishable: true }])).toEqual({ starts: expected, validates: expected });
      expect(ofScopes([{ ...REPORTS, name }])).toEqual({ starts: true, validates: true });
    },
  );
});

test("what a schema cannot say is left to the service", () => {
  const unknown = { support: ["reports:read"] };
  expect(ofRoles(unknown)).toEqual({ starts: false, validates: true });
  expect(ofScopes([REPORTS, REPORTS])).toEqual({ starts: false, validates: true });
});
