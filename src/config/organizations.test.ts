// promise: hooks.secret
import { describe, expect, test } from "vitest";
import { readConfig } from "./config.ts";
import type { Environment } from "./environment.ts";

const OIDC: Environment = {
  OIDC_ISSUER: "https://idp.example/",
  OIDC_JWKS_URL: "https://idp.example/jwks.json",
  OIDC_AUDIENCE: "dashboard",
};
const [ONE, TWO] = ["a".repeat(32), "b".repeat(40)];

const read = (env: Environment) => readConfig({ ...OIDC, ...env });

describe("IDENTITY_HOOK_SECRET", () => {
  const secrets = (value: string) => read({ IDENTITY_HOOK_SECRET: value }).identityHookSecrets;

  test("is absent unless it is set, one, or two for a change", () => {
    expect(read({}).identityHookSecrets).toEqual([]);
    expect(secrets(ONE)).toEqual([ONE]);
    expect(secrets(` ${ONE} , ${TWO}`)).toEqual([ONE, TWO]);
  });

  test("may be as Supabase shows it, first or second", () => {
    const supabase = `v1,whsec_${TWO}`;
    expect(secrets(supabase)).toEqual([supabase]);
    expect(secrets(`${supabase},${ONE}`)).toEqual([supabase, ONE]);
    expect(secrets(`${ONE},${supabase}`)).toEqual([ONE, supabase]);
    expect(secrets(`${supabase},v1,whsec_${ONE}`)).toEqual([supabase, `v1,whsec_${ONE}`]);
  });

  test.each(["short", `${ONE},`, `${ONE},${TWO},${ONE}`, `${ONE} ${TWO}`, "ä".repeat(40)])(
    "%j is refused, and not repeated",
    (value) => {
      expect(() => secrets(value)).toThrow("IDENTITY_HOOK_SECRET must be one or two secrets");
      expect(() => secrets(value)).not.toThrow(value);
    },
  );
});

describe("IDENTITY_HOOK_SECRET as the key of signatures", () => {
  const secrets = (value: string) => read({ IDENTITY_HOOK_SECRET: value }).identityHookSecrets;
  const bytes = (count: number) => Buffer.alloc(count, 0xff).toString("base64");

  test.each([
    bytes(24),
    `whsec_${bytes(24)}`,
    `v1,whsec_${bytes(25)}`,
    bytes(26).replaceAll("=", ""),
    "0123456789abcdef".repeat(4),
  ])("may be %s", (value) => expect(secrets(value)).toEqual([value]));

  test.each([
    `a=${"b".repeat(40)}`,
    `pass=${"w".repeat(40)}`,
    `${"a".repeat(40)}!`,
    "a".repeat(41),
    `${"a".repeat(40)}=`,
    `whsec_${bytes(23)}`,
    `v1,whsec_a=${"b".repeat(40)}`,
    `${ONE},a=${"b".repeat(40)}`,
  ])("%s refuses the start: not all of it, or too little, would sign", (value) => {
    expect(() => secrets(value)).toThrow("IDENTITY_HOOK_SECRET must be base64 of at least 24 bytes");
    expect(() => secrets(value)).not.toThrow(value);
  });
});

describe("TENANT_FROM_MEMBERSHIP", () => {
  test("is false unless it is true", () => {
    const value = (TENANT_FROM_MEMBERSHIP: string) => read({ TENANT_FROM_MEMBERSHIP }).tenantFromMembership;
    expect([read({}).tenantFromMembership, value("false"), value("true")]).toEqual([false, false, true]);
    expect(() => value("yes")).toThrow("TENANT_FROM_MEMBERSHIP must be one of true, false");
  });
});

describe("ROLES_FROM_MEMBERSHIP", () => {
  test("is false unless it is true", () => {
    const value = (ROLES_FROM_MEMBERSHIP: string) => read({ ROLES_FROM_MEMBERSHIP }).rolesFromMembership;
    expect([read({}).rolesFromMembership, value("false"), value("true")]).toEqual([false, false, true]);
    expect(() => value("yes")).toThrow("ROLES_FROM_MEMBERSHIP must be one of true, false");
  });

  test("is refused where the provider's organizations are the tenants: no user would have a role", () => {
    const adopted = { ROLES_FROM_MEMBERSHIP: "true", OIDC_TENANT_CLAIM: "org_id" };
    expect(() => read(adopted)).toThrow("ROLES_FROM_MEMBERSHIP has no memberships to read");
    for (const env of [{ IDENTITY_HOOK_SECRET: ONE }, { TENANT_FROM_MEMBERSHIP: "true" }]) {
      expect(read({ ...adopted, ...env }).rolesFromMembership).toBe(true);
    }
  });
});

test("each is refused where there are no dashboard users", () => {
  for (const env of [
    { IDENTITY_HOOK_SECRET: ONE },
    { TENANT_FROM_MEMBERSHIP: "true" },
    { ROLES_FROM_MEMBERSHIP: "true" },
  ]) {
    expect(() => readConfig(env)).toThrow(
      /(IDENTITY_HOOK_SECRET|TENANT_FROM_MEMBERSHIP|ROLES_FROM_MEMBERSHIP) .* needs OIDC_ISSUER/,
    );
  }
  const development = { host: "127.0.0.1", dataDir: "data", drainSeconds: 0, hasOwnProvider: true } as const;
  expect(readConfig({ TENANT_FROM_MEMBERSHIP: "true" }, development).tenantFromMembership).toBe(true);
  expect(readConfig({ TENANT_FROM_MEMBERSHIP: "false" }).tenantFromMembership).toBe(false);
});
