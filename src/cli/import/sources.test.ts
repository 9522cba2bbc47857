import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { fixture, readAll } from "../../../test/cli/import-reading.ts";
import { pieces } from "../../../test/cli/pieces.ts";
import { parseScopeMap } from "./scope-map.ts";
import { SOURCES } from "./sources.ts";

const sha256 = (key: string, encoding: "hex" | "base64" | "base64url" = "hex") => hash("sha256", key, encoding);
const rowsOf = async (...args: Parameters<typeof readAll>) => (await readAll(...args)).read.map(({ row }) => row);

const GOOD = { hash: sha256("acme_0123456789abcdef"), name: "a", permissions: ["a:b"] };
const ADA = "XNLCveqSS8ZOl1GExHV23YFzeRZOSMk6";
const WITHOUT_PREFIX = {
  hash: {
    algorithm: "SHA256",
    digest: sha256("TYOAooQWXFdQpYCLrFtlJhfaZcsfuJaIqJuIkQylhFdpEELRQLwPAXsqfgLOuBaz", "base64url"),
  },
  key_format: "any",
  key_prefix: "TYOAoo",
  name: "without prefix",
  permissions: ["files:read"],
  created_at: "2026-11-29T06:45:19.593Z",
  external_id: ADA,
};
const DISABLED = {
  hash: {
    algorithm: "SHA256",
    digest: sha256("acme_usiqbBAyLtqdxPYAoKzAXYYbiIqGwtqueVHcWiAIukPnCmhrGjzczjTXqndMsyuA", "base64url"),
  },
  key_format: "any",
  key_prefix: "acme_u",
  name: 'a, "quoted"\nname',
  permissions: ["files:read"],
  created_at: "2026-11-29T06:45:19.590Z",
  external_id: ADA,
  disabled: true,
};
const CI = {
  hash: {
    algorithm: "SHA256",
    digest: sha256("acme_RiIRxvQbQmuZxbRClXIxZsURQxfcVbLVPuoGuEYdYVgIBhQvKwfKHamZMlLBxnZc", "base64url"),
  },
  key_format: "any",
  key_prefix: "acme_R",
  name: "ci",
  permissions: ["files:read", "files:write", "users:read"],
  rate_limit: { requests_per_minute: 60 },
  expires_at: "2027-02-27T06:45:19.578Z",
  created_at: "2026-11-29T06:45:19.578Z",
  external_id: ADA,
  metadata: { plan: "pro", seats: 3 },
};

describe("better-auth", () => {
  test.each(["better-auth.ndjson", "better-auth.csv"])(
    "%s: each key with its digest, scopes, limit and times",
    async (name) => {
      const { read, findings } = await readAll(fixture(name), "better-auth");
      expect(read.map(({ row }) => row)).toEqual([WITHOUT_PREFIX, DISABLED, CI]);
      expect(findings.lost).toEqual([
        { member: "rateLimitMax per 86400000 ms", keys: 2 },
        { member: "refillAmount", keys: 1 },
        { member: "remaining", keys: 1 },
      ]);
      expect(findings.forms.list()).toEqual([
        { prefix: "acme_", algorithm: "SHA256", keys: 2 },
        { prefix: "", algorithm: "SHA256", keys: 1 },
      ]);
    },
  );

  test("a row of CSV is named by the line in which it begins, also behind a value of two lines", async () => {
    const { read } = await readAll(fixture("better-auth.csv"), "better-auth");
    expect(read.map(({ line }) => line)).toEqual([2, 3, 5]);
  });

  test("SQLite's booleans, and an array on one line or on many", async () => {
    const text = readFileSync(
      fileURLToPath(new URL("../../../test/cli/fixtures/import/better-auth-sqlite.json", import.meta.url)),
      "utf8",
    );
    const lines = await rowsOf(pieces(text), "better-auth");
    expect(lines).toMatchObject([
      { name: "ci", rate_limit: { requests_per_minute: 60 } },
      { disabled: true },
      { name: "without prefix" },
    ]);
    expect(lines[0]?.disabled).toBeUndefined();
    expect(await rowsOf(pieces(JSON.stringify(JSON.parse(text))), "better-auth")).toEqual(lines);
  });

  test("keys that were stored in plain text are hashed here", async () => {
    const key = "acme_RiIRxvQbQmuZxbRClXIxZsURQxfcVbLVPuoGuEYdYVgIBhQvKwfKHamZMlLBxnZc";
    const [row] = await rowsOf(
      pieces(JSON.stringify([{ id: "1", start: "acme_R", prefix: "acme_", key }])),
      "better-auth",
    );
    expect(row).toMatchObject({ hash: { algorithm: "SHA256", digest: sha256(key) } });
    expect(JSON.stringify(row)).not.toContain(key.slice(6));
  });

  test("a digest that begins with a short prefix by chance is not taken for a key", async () => {
    const digest = "aiFi9KTFJIjqIVxX7v-wuC0jc4HVQRiY91ho3Q4eK0w";
    const [row] = await rowsOf(pieces(JSON.stringify([{ id: "1", prefix: "a", key: digest }])), "better-auth");
    expect(row).toMatchObject({ hash: { digest } });
  });

  test("the plain key of a row without a beginning is refused, and no message has it", async () => {
    const key = "RiIRxvQbQmuZxbRClXIxZsURQxfcVbLVPuoGuEYdYVgIBhQvKwfKHamZMlLBxnZc";
    const { read } = await readAll(pieces(JSON.stringify([{ id: "1", key }])), "better-auth");
    expect(read).toMatchObject([{ problem: { member: "key" } }]);
    expect(JSON.stringify(read)).not.toContain(key.slice(0, 4));
  });
});

describe("LiteLLM", () => {
  const rows = [
    {
      hash: { algorithm: "SHA256", digest: sha256("sk-ep66ltGaiGpurMZEt6ZyPg") },
      key_format: "any",
      key_prefix: "sk-",
      name: "acme-ci",
      permissions: ["files:read"],
      rate_limit: { requests_per_minute: 60 },
      expires_at: "2027-01-01T00:00:00.000Z",
      created_at: "2026-03-01T08:00:00.123Z",
      external_id: "u1",
      metadata: { plan: "pro" },
    },
    {
      hash: { algorithm: "SHA256", digest: sha256("sk-qIlua7liF-feYWLmemDA4A") },
      key_format: "any",
      key_prefix: "sk-",
      name: "sk-...DA4A",
      permissions: ["files:read"],
      created_at: "2026-04-01T08:00:00.000Z",
      external_id: "u2",
      metadata: {},
      disabled: true,
    },
    {
      hash: { algorithm: "SHA256", digest: sha256("sk-hcArY2wxP0bDtjG5ZFfw2g") },
      key_format: "any",
      key_prefix: "sk-",
      name: "=cmd|' /C calc'!A0",
      permissions: ["files:read"],
      created_at: "2026-05-01T08:00:00.000Z",
      metadata: { tags: ["a", "b"] },
    },
  ];

  test.each(["litellm.ndjson", "litellm.csv"])("%s: each key, and what has no place here", async (name) => {
    const { read, findings } = await readAll(fixture(name), "litellm");
    expect(read.map(({ row }) => row)).toEqual(rows);
    expect(new Set(findings.lost.map(({ member }) => member))).toEqual(
      new Set(["team_id", "models", "tpm_limit", "max_parallel_requests", "spend", "max_budget", "budget_duration"]),
    );
    expect(findings.forms.list()).toEqual([{ prefix: "sk-", algorithm: "SHA256", keys: 3 }]);
  });

  test("teams become tenants where the map has them, and a team that it lacks refuses its row", async () => {
    const map = parseScopeMap('{"without_scopes":["files:read"],"tenants":{"team1":"org_1"}}');
    const { read } = await readAll(fixture("litellm.ndjson"), "litellm", { map });
    expect(read).toMatchObject([
      { row: { tenant_id: "org_1" } },
      { row: {} },
      { line: 3, problem: { member: "team_id" } },
    ]);
  });

  test("a token that is not a digest is refused: it is the key itself", async () => {
    const { read } = await readAll(pieces('[{"token":"my-own-key-of-litellm"}]'), "litellm");
    expect(read).toMatchObject([{ line: 1, problem: { member: "token" } }]);
  });
});

describe("Kong", () => {
  const FIRST = "Zq3rT8vLx1Nc5Kd9Yb7Hw2Jm4Pf6Sg0A";
  const SECOND = "k7Wn2Xc9Vb4Lm1Qz8Rt5Yp3Hd6Jf0GsB";
  const first = {
    hash: { algorithm: "SHA256", digest: sha256(FIRST) },
    key_prefix: "Zq3r",
    metadata: { tags: ["ci", "eu"] },
  };

  test("a page of the Admin API: keys are hashed here, and `ttl` counts from the export", async () => {
    const { read, findings } = await readAll(fixture("kong-key-auths.json"), "kong");
    expect(read.map(({ row }) => row)).toMatchObject([
      {
        ...first,
        external_id: "8a3b1f0e-5c1d-4f7a-9b22-0d6c4e8f1a01",
        created_at: "2026-03-01T08:00:00.000Z",
        expires_at: "2026-11-29T09:00:00.000Z",
      },
      { hash: { digest: sha256(SECOND) }, created_at: "2026-03-02T08:00:00.000Z" },
    ]);
    expect(findings.isPartial).toBe(true);
    expect(findings.lost).toEqual([]);
    expect(findings.forms.list()).toEqual([
      { prefix: "", algorithm: "SHA256", keys: 2, length_min: 32, length_max: 32, alphabet: "BASE62" },
    ]);
  });

  test("a dump of decK: the keys of each consumer, and one that is too short refuses only itself", async () => {
    const { read, findings } = await readAll(fixture("kong-deck.json"), "kong");
    expect(read).toHaveLength(4);
    expect(read).toMatchObject([
      { row: { ...first, name: "jack", external_id: "cus_1" } },
      { problem: { member: "key", message: expect.stringContaining("fits no key format") } },
      { row: { hash: { digest: sha256("Test-key_of.jack-4711") } } },
      { row: { name: "joan", external_id: "joan" } },
    ]);
    expect(findings.isPartial).toBe(false);
    expect(findings.lost).toContainEqual({ member: "consumer.basicauth_credentials", keys: 1 });
  });

  test("the table as CSV: `ttl` is an instant", async () => {
    expect(await rowsOf(fixture("kong.csv"), "kong")).toMatchObject([
      { ...first, expires_at: "2027-01-01T00:00:00.000Z" },
    ]);
  });

  test("keys are sent only where the caller asked for it", async () => {
    const plainKeys = { kind: "send" } as const;
    const [row] = await rowsOf(fixture("kong.csv"), "kong", { plainKeys });
    expect(row).toMatchObject({ key: FIRST });
    expect(row?.hash).toBeUndefined();
  });
});

describe("Unkey", () => {
  test("the table: digests, limits of time, disabled and deleted keys", async () => {
    const { read, findings } = await readAll(fixture("unkey-table.ndjson"), "unkey");
    expect(read.map(({ row }) => row)).toEqual([
      {
        hash: { algorithm: "SHA256", digest: "acw/w5BQ/eu07oDKcvs5PicTYhGAclFsCsiz7sVn5W8=" },
        key_format: "any",
        key_prefix: "unkey_3ZQ",
        name: "ci",
        permissions: ["files:read"],
        expires_at: "2027-01-01T00:00:00.000Z",
        created_at: "2026-03-01T08:00:00.123Z",
        metadata: { plan: "pro" },
      },
      {
        hash: { algorithm: "SHA256", digest: sha256("unkey_9XbT2LwQm6NcR4vHs8KdF1", "base64") },
        key_format: "any",
        key_prefix: "unkey_9Xb",
        name: "unkey_9Xb",
        permissions: ["files:read"],
        disabled: true,
      },
      expect.objectContaining({ name: "gone", revoked_at: "2026-04-01T08:00:00.000Z" }),
    ]);
    expect(findings.lost).toEqual([
      { member: "identity_id", keys: 1 },
      { member: "remaining_requests", keys: 1 },
    ]);
  });

  test("the API: scopes through the map, limits of ours, and the export's further pages", async () => {
    const map = parseScopeMap(
      '{"scopes":{"documents.read":["files:read"],"documents.*":["files:read","files:write"]},"without_scopes":["files:read"]}',
    );
    const { read, findings } = await readAll(fixture("unkey-list.json"), "unkey", { map });
    expect(read).toMatchObject([
      {
        row: {
          hash: { algorithm: "SHA256", digest: sha256("unkey_3ZQ7eY1uV9pKxT5dRmWc8B") },
          permissions: ["files:read", "files:write"],
          rate_limit: { requests_per_minute: 60 },
          external_id: "user_1",
        },
      },
      { problem: { member: "hash" } },
    ]);
    expect(findings.isPartial).toBe(true);
    expect(findings.lost.map(({ member }) => member).toSorted()).toEqual([
      "credits",
      "ratelimits of 1000 ms",
      "ratelimits of 60000 ms",
      "roles",
    ]);
  });
});

describe("a table of one's own", () => {
  test("CSV as a spreadsheet saves it", async () => {
    const { read, findings } = await readAll(fixture("table.csv"), "csv", { keyFormat: "acme" });
    expect(read).toEqual([
      {
        line: 2,
        row: {
          key_format: "acme",
          hash: { digest: sha256("sk_live_4eC39HqLyjWDarjtT1zdp7dcXk20Ab91") },
          key_prefix: "sk_live_4e",
          name: 'Ada "ci"',
          permissions: ["files:read", "files:write"],
          rate_limit: { requests_per_minute: 60 },
          expires_at: "2026-12-31T22:00:00.000Z",
          created_at: "2026-03-01T08:00:00.000Z",
          external_id: "cus_1",
          metadata: { plan: "pro", seats: 3 },
          disabled: false,
        },
      },
      {
        line: 3,
        row: expect.objectContaining({ hash: expect.objectContaining({ algorithm: "HMAC_SHA256", pepper: "main" }) }),
      },
    ]);
    expect(findings.lost).toEqual([{ member: "id", keys: 2 }]);
    expect(findings.forms.list().map(({ prefix }) => prefix)).toEqual(["sk_live_", "acme_"]);
  });

  test("without a scope of its own or in the map, a row is refused: no right is guessed", async () => {
    const map = parseScopeMap("{}");
    const { read } = await readAll(fixture("kong.csv"), "kong", { map });
    expect(read).toMatchObject([{ problem: { message: expect.stringContaining("without_scopes") } }]);
  });

  test("the limits of each user and what a limit has beside ours", async () => {
    const rate_limit = {
      requests_per_minute: 5,
      per_user: { burst_size: 2, per_day: 9 },
      per_day: 9,
      unlimited: false,
    };
    const { read, findings } = await readAll(pieces(JSON.stringify({ ...GOOD, rate_limit })), "ndjson");
    expect(read).toMatchObject([{ row: { rate_limit: { requests_per_minute: 5, per_user: { burst_size: 2 } } } }]);
    expect(findings.lost.map(({ member }) => member)).toEqual(["rate_limit.per_day", "rate_limit.per_user.per_day"]);
  });

  test.each([
    ["a column", { ...GOOD, salt: "x" }],
    ["a member of the hash", { ...GOOD, hash: { digest: GOOD.hash, salt: "x" } }],
  ])("a salt as %s refuses the row: its key would never be found", async (_, record) => {
    const { read } = await readAll(pieces(JSON.stringify(record)), "ndjson");
    expect(read).toMatchObject([{ problem: { member: "salt" } }]);
  });
});

describe("an export of this service", () => {
  test("keeps the state and the kind of each key", async () => {
    const hash = { algorithm: "SHA256", digest: sha256("sk_2Xk0Zb") };
    const key = { key_id: "key_1", name: "a", keyType: "KEY_TYPE_SECRET", permissions: ["a:b"], tenant_id: "org_1" };
    const lines = [
      { key: { ...key, status: "KEY_STATUS_DISABLED" }, hash },
      {
        key: { ...key, status: "KEY_STATUS_REVOKED", revoked_at: "2026-11-29T08:00:00.123456Z" },
        hash,
        public_part: "42",
      },
      {
        key: {
          ...key,
          keyType: "KEY_TYPE_PUBLISHABLE",
          publishableConfig: { oidc: { issuer: "i" } },
          allowed_origins: ["o"],
        },
        hash,
      },
    ];
    const { read, findings } = await readAll(pieces(lines.map((each) => JSON.stringify(each)).join("\n")), "latchkey");
    const row = { hash, name: "a", permissions: ["a:b"], tenant_id: "org_1", keyType: "KEY_TYPE_SECRET" };
    const publishable = { publishableConfig: { oidc: { issuer: "i" } }, allowed_origins: ["o"] };
    expect(read).toEqual([
      { line: 1, row: { ...row, disabled: true } },
      { line: 2, row: { ...row, revoked_at: "2026-11-29T08:00:00.123Z", public_part: "42" } },
      { line: 3, row: { ...row, ...publishable, keyType: "KEY_TYPE_PUBLISHABLE" } },
    ]);
    expect(findings.lost).toEqual([]);
  });
});

test.each(Object.keys(SOURCES) as (keyof typeof SOURCES)[])(
  "%s: an empty file has no rows and no problems",
  async (from) => {
    const { read } = await readAll(pieces(""), from);
    expect(read).toEqual([]);
  },
);
