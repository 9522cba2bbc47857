// promise: cli.restore
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from "vitest";
import { BY_HAND, OF_KEYS } from "../../src/cli/commands/revoke-since.ts";
import { EXCHANGE, JWT_TYPE, postForm } from "../harness/federation.ts";
import { post } from "../harness/http.ts";
import { newTenant } from "../harness/latchkey.ts";
import { OPERATOR_TOKEN } from "../harness/operator.ts";
import { type Running, runService } from "../harness/service-process.ts";
import { SERVICES } from "../harness/services.ts";
import { HOUR } from "../harness/test-clock.ts";
import { TOKEN_ISSUER, TOKEN_SECRET } from "../harness/token-settings.ts";
import { generateKey, signToken } from "../jwks/provider.ts";
import { startArchivedPostgres } from "../servers/archived-postgres.ts";
import { createServingDatabase, execute, type ServingDatabase } from "../servers/least-privilege.ts";
import { dumpDatabase, restoreDatabase } from "../servers/pg-dump.ts";
import { dropDatabase } from "../servers/postgres.ts";
import { latchkey, succeed } from "./command-line.ts";

let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), "latchkey-restore-"));
});
afterAll(() => rm(cwd, { recursive: true, force: true }));

/** A database that can be brought back to an instant, which `mark` resolves with. */
interface Restorable {
  readonly database: ServingDatabase;
  mark(): Promise<Date>;
  restore(): Promise<void>;
}

const WAYS: Readonly<Record<string, () => Promise<Restorable>>> = {
  async "by a dump"() {
    const database = await createServingDatabase(inject("postgresUrl"));
    onTestFinished(() => dropDatabase(inject("postgresUrl"), database.adminUrl));
    const dump = join(cwd, "backup");
    return {
      database,
      async mark() {
        const instant = new Date();
        await dumpDatabase(database.adminUrl, dump);
        return instant;
      },
      restore: () => restoreDatabase(database.adminUrl, dump),
    };
  },
  async "to a point in time"() {
    const server = await startArchivedPostgres();
    onTestFinished(server.stop);
    const database = await createServingDatabase(server.url);
    let instant = new Date();
    return {
      database,
      async mark() {
        instant = new Date();
        return instant;
      },
      restore: () => server.restoreTo(instant),
    };
  },
};

interface Service {
  readonly url: string;
  readonly running: Running;
  readonly operator: Record<string, string>;
  /** How a call with a key, or with a token, ends: its denial. */
  verify(secret: string): Promise<string>;
}

async function start(database: ServingDatabase): Promise<Service> {
  const tokens = { TOKEN_ISSUER, TOKEN_SECRET };
  const running = runService({ DATABASE_URL: database.url, OPERATOR_TOKEN, ...tokens }, cwd);
  onTestFinished(async () => void (await running.end("SIGKILL")));
  const url = await running.listening();
  return {
    url,
    running,
    operator: { LATCHKEY_URL: url, LATCHKEY_OPERATOR_TOKEN: OPERATOR_TOKEN },
    async verify(secret) {
      const name = secret.startsWith("sk_") ? "LATCHKEY_KEY" : "LATCHKEY_TOKEN";
      const { status, stderr } = await latchkey(["whoami"], { env: { LATCHKEY_URL: url, [name]: secret } });
      return status === 0 ? "admitted" : (/denial_reason (\w+)/.exec(stderr)?.[1] ?? stderr);
    },
  };
}

/** Makes keys of a tenant by the operator's command. */
function keyMaker({ operator }: Service, tenant: string) {
  return async (name: string, ...scopes: string[]) => {
    const granted = ["plans:read", ...scopes].flatMap((scope) => ["--scope", scope]);
    const args = ["operator", "keys", "create", "--tenant", tenant, "--name", name, ...granted, "--json"];
    return (await succeed(args, { env: operator })).json().result as { key: string; key_id: string };
  };
}

/** What `revoke-since` lists, without the instants. */
async function revokeSince({ operator }: Service, instant: Date, log: string, ...args: string[]) {
  const since = ["operator", "keys", "revoke-since", instant.toISOString(), "--access-log", "-", ...args, "--json"];
  const { changes } = (await succeed(since, { env: operator, stdin: log })).json() as {
    changes: Record<string, string>[];
  };
  return changes.map(({ change, target_id, outcome }) => [change, target_id, outcome]);
}

describe.each(Object.entries(WAYS))("after a restore %s", (_, prepare) => {
  test("what was revoked and disabled after the instant is so again by the access log, once, and nothing else changes", async () => {
    const tenant = newTenant();
    const { database, mark, restore } = await prepare();
    const before = await start(database);
    const operator = (...args: string[]) => succeed(["operator", ...args], { env: before.operator });
    const create = keyMaker(before, tenant);
    const [revoked, disabled, enabled, kept, early] = [
      await create("revoked"),
      await create("disabled"),
      await create("enabled"),
      await create("kept"),
      await create("early"),
    ];
    await operator("keys", "revoke", early.key_id);
    const instant = await mark();

    await operator("keys", "disable", revoked.key_id);
    await operator("keys", "revoke", revoked.key_id);
    await operator("keys", "disable", disabled.key_id);
    await operator("keys", "disable", enabled.key_id);
    await operator("keys", "enable", enabled.key_id);
    const late = await create("late");
    await operator("keys", "revoke", late.key_id);
    await operator("tenants", "suspend", newTenant());
    expect(await before.verify(revoked.key)).toBe("api_key_revoked");
    await before.running.end("SIGTERM");
    await restore();

    const after = await start(database);
    const all = [revoked, disabled, enabled, kept, early, late];
    const verdicts = () => Promise.all(all.map(({ key }) => after.verify(key)));
    const restored = ["admitted", "admitted", "admitted", "admitted", "api_key_revoked", "api_key_not_found"];
    expect(await verdicts()).toEqual(restored);
    // As a log driver may write it, among lines of other programs.
    const log = `not of Latchkey\n${before.running.output().replaceAll(/^\{/gm, "2026-01-01T00:00:00Z stdout F {")}`;
    const expected = (outcome: string) => [
      ["revoke", revoked.key_id, outcome],
      ["disable", disabled.key_id, outcome],
      ["revoke", late.key_id, "not in this database"],
      ["SuspendTenant", expect.stringMatching(/^ten_/), "to be made by hand"],
    ];

    expect(await revokeSince(after, instant, log, "--dry-run")).toEqual(expected("not made: dry run"));
    expect(await verdicts()).toEqual(restored);
    expect(await revokeSince(after, instant, log)).toEqual(expected("made again"));
    expect(await verdicts()).toEqual(["api_key_revoked", "api_key_disabled", ...restored.slice(2)]);
    const file = join(cwd, "access.log");
    await writeFile(file, log);
    const since = ["operator", "keys", "revoke-since", instant.toISOString(), "--access-log", file];
    const table = await succeed(since, { env: after.operator });
    expect(table.stdout).toMatch(new RegExp(`revoke +${revoked.key_id} +${tenant} +in force already`));
    expect(table.stderr).toContain("to be made by hand");
  }, 300_000);

  test("revoked tokens and disabled rules work again until the lines of the page have run, and what else was taken away is listed", async () => {
    const tenant = newTenant();
    const { database, mark, restore } = await prepare();
    const before = await start(database);
    const { key, key_id } = await keyMaker(before, tenant)("k", "api_keys:*", "webhooks:*");
    const call = async ({ url }: Service, path: string, body: object) => {
      const { status, json, text } = await post(url, `/api/v1/${path}`, body, { "x-api-key": key });
      expect(status, text).toBe(200);
      return json;
    };
    const [{ result: token }, { result: rule }, { result: webhook }] = [
      await call(before, "tokens/derive", { scopes: ["plans:read"] }),
      await call(before, "federation/rules/create", {
        ...{ name: "CI", issuer: ISSUER, audience: AUDIENCE, key_id, scopes: ["plans:read"] },
        ...{ jwks: { keys: [SIGNER.jwk] }, claimRules: [{ claim: "sub", equals: "repo:acme/shop" }] },
      }),
      await call(before, "webhooks/create", { url: "https://hooks.example.com/", events: ["*"] }),
    ];
    const exchange = async ({ url }: Service) => {
      const nowS = Math.floor(Date.now() / 1_000);
      const claims = { iss: ISSUER, aud: AUDIENCE, sub: "repo:acme/shop", iat: nowS, exp: nowS + 600 };
      const assertion = signToken(SIGNER, { ...claims, jti: crypto.randomUUID() });
      const form = { client_id: rule.rule_id, subject_token: assertion, subject_token_type: JWT_TYPE };
      return (await postForm({ url }, { grant_type: EXCHANGE, ...form })).status;
    };
    const eventNumbers = () => numbersOf(database.adminUrl);
    const instant = await mark();

    await call(before, "tokens/revoke", { token_id: token.token_id });
    const status = "FEDERATION_RULE_STATUS_DISABLED";
    await call(before, "federation/rules/update", { rule_id: rule.rule_id, status, update_mask: "status" });
    await call(before, "webhooks/delete", { webhook_id: webhook.webhook_id });
    expect([await before.verify(token.token), await exchange(before)]).toEqual(["token_revoked", 400]);
    await before.running.end("SIGTERM");
    await restore();

    const after = await start(database);
    expect([await after.verify(token.token), await exchange(after)]).toEqual(["admitted", 200]);
    expect((await call(after, "webhooks/list", {})).webhooks).toHaveLength(1);
    const expected = (ofToken: string) => [
      ["RevokeToken", token.token_id, ofToken],
      ["UpdateFederationRule", rule.rule_id, "to be made by hand"],
      ["DeleteWebhook", webhook.webhook_id, "to be made by hand"],
    ];
    const log = before.running.output();
    expect(await revokeSince(after, instant, log)).toEqual(expected("to be made by hand"));
    // No token lives for longer than an hour.
    const earlier = (text: string) => new Date(Date.parse(text) - 2 * HOUR).toISOString();
    const older = log.replaceAll(/(?<="time":")[^"]+/g, earlier);
    expect(await revokeSince(after, new Date(earlier(instant.toISOString())), older)).toEqual(
      expected("expired since"),
    );

    const newest = (await eventNumbers()).at(-1) ?? 0;
    const statements = await statementsOfPage();
    await execute(
      database.adminUrl,
      statements.map((statement) => statement.replaceAll("fed_...", rule.rule_id)),
    );
    await expect.poll(() => after.verify(token.token)).toBe("token_revoked");
    await expect.poll(() => exchange(after)).toBe(400);
    await succeed(["operator", "keys", "disable", key_id], { env: after.operator });
    expect((await eventNumbers()).at(-1)).toBeGreaterThan(newest + 999_999_999);
  }, 300_000);
});

const ISSUER = "https://ci.example.com";
const AUDIENCE = "https://latchkey.example/acme";
const SIGNER = generateKey("ES256", { kid: "ci" });

/** The numbers of the events for webhooks that are stored, the lowest first. */
async function numbersOf(url: string): Promise<number[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query("select seq from webhook_events order by seq");
    return rows.map(({ seq }) => Number(seq));
  } finally {
    await client.end();
  }
}

/** The statements that docs/storage.md has under "Restore". */
async function statementsOfPage(): Promise<string[]> {
  const page = await readFile(new URL("../../docs/storage.md", import.meta.url), "utf8");
  const [, section = ""] = /^## Restore\n([\s\S]*?)^## /m.exec(page) ?? [];
  const statements = Array.from(section.matchAll(/^```sql\n([\s\S]*?)^```/gm), ([, block = ""]) => block).join("\n");
  return statements.split(";").filter((statement) => /\w/.test(statement.replaceAll(/^--.*$/gm, "")));
}

test("every procedure that changes anything is made again, listed, or takes no right away", () => {
  const changing = SERVICES.flatMap(({ methods }) => methods)
    .filter(({ idempotency }) => idempotency !== MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS)
    .map(({ parent, name }) => `${parent.typeName}/${name}`)
    .filter((name) => name.startsWith("latchkey."));
  const covered = [...Object.keys(OF_KEYS), ...BY_HAND];
  expect(changing.filter((name) => !covered.includes(name) && !TAKES_NOTHING_AWAY.includes(name))).toEqual([]);
  const known = [...changing, "api-keys/report-leak/github"];
  expect([...covered, ...TAKES_NOTHING_AWAY].filter((name) => !known.includes(name))).toEqual([]);
});

const TAKES_NOTHING_AWAY = [
  "latchkey.v1.ApiKeyService/CreateApiKey",
  "latchkey.v1.ApiKeyService/CheckOidc",
  "latchkey.v1.ApiKeyService/ImportApiKeys",
  "latchkey.v1.OperatorService/CreateKeyFormat",
  "latchkey.v1.OperatorService/CreateTenantKey",
  "latchkey.v1.OperatorService/ExportKeys",
  "latchkey.v1.OperatorService/ImportTenantKeys",
  "latchkey.v1.OperatorService/ResumeTenant",
  "latchkey.v1.TokenService/DeriveToken",
  "latchkey.v1.FederationService/CreateFederationRule",
  "latchkey.v1.FederationService/CheckFederationAssertion",
  "latchkey.v1.WebhookService/CreateWebhook",
  "latchkey.v1.WebhookService/TestWebhook",
  "latchkey.v1.WebhookService/RedeliverWebhookEvents",
  "latchkey.v1.OrgService/CreateOrg",
  "latchkey.v1.OrgService/UpdateOrg",
  "latchkey.v1.OrgService/SwitchOrg",
  "latchkey.v1.OrgService/CreateInvitation",
  "latchkey.v1.OrgService/AcceptInvitation",
  "latchkey.v1.GatewayService/SendMessage",
];

test("an invalid, late or absent log is not taken for one without changes", async () => {
  const database = await createServingDatabase(inject("postgresUrl"));
  onTestFinished(() => dropDatabase(inject("postgresUrl"), database.adminUrl));
  const { running, operator } = await start(database);
  const run = (instant: string, path: string, stdin = "") =>
    latchkey(["operator", "keys", "revoke-since", instant, "--access-log", path], { env: operator, stdin });
  for (const [instant, path, stdin, message] of [
    ["1h", "/no/such/file", "", "--access-log cannot be read (ENOENT)"],
    ["1h", "-", '{"level":30,"msg":"listening"}\n', "--access-log has no line of Latchkey's access log"],
    ["yesterday", "-", "", "<instant>: It must be an instant such as"],
  ] as const) {
    const { status, stdout, stderr } = await run(instant, path, stdin);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(message);
  }
  const line = {
    time: new Date().toISOString(),
    procedure: "latchkey.v1.AuthService/Verify",
    code: "ok",
    msg: "request",
  };
  const late = await run("2h", "-", `${JSON.stringify(line)}\n`);
  expect(late.status).toBe(0);
  expect(late.stderr).toContain(`Warning: the log begins at ${line.time}`);
  await running.end("SIGTERM");
});
