// promise: operation.privileges
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { checkDeployment } from "../../src/check/deployment.ts";
import type { Finding } from "../../src/check/finding.ts";
import { SECRET_FILES } from "../../src/config/secret-files.ts";
import { generateSigningKey, type IdentityProvider, startIdentityProvider } from "../../src/dev/identity-provider.ts";
import { createIssuer } from "../../src/store/jwks/issuer/issuer.ts";
import { createSigningKeyStore } from "../../src/store/sql/access-tokens/signing-keys.ts";
import { openDatabase } from "../../src/store/sql/driver/open.ts";
import { latchkey } from "../cli/command-line.ts";
import { makeCertificate, writeCertificate } from "../harness/test-certificate.ts";
import { freePort } from "../servers/free-port.ts";
import { createServingDatabase, createServingUser, type ServingDatabase } from "../servers/least-privilege.ts";
import { dropDatabase } from "../servers/postgres.ts";

const serverUrl = inject("postgresUrl");
const TOKENS = { TOKEN_ISSUER: "https://tokens.example", TOKEN_SECRET: "a-secret-of-the-signing-keys-0123456789" };
let database: ServingDatabase;
let provider: IdentityProvider;
let dir: string;
/** Of a deployment in which nothing is wrong. */
let env: Record<string, string>;

beforeAll(async () => {
  database = await createServingDatabase(serverUrl);
  provider = await startIdentityProvider(await generateSigningKey());
  dir = await mkdtemp(join(tmpdir(), "latchkey-check-"));
  env = {
    DATABASE_URL: database.url,
    REDIS_URL: await createServingUser(inject("redisUrl")),
    OIDC_ISSUER: provider.issuer,
    OIDC_JWKS_URL: provider.jwksUrl,
    OIDC_AUDIENCE: provider.audience,
    OIDC_ROLES_CLAIM: "roles",
    OPERATOR_TENANT: "ten_operator",
    OPENAI_MODEL: "a-model",
    OPENAI_API_KEY: "secret-of-the-model",
    ...TOKENS,
  };
});
afterAll(async () => {
  await provider.close();
  await dropDatabase(serverUrl, database.adminUrl);
  await rm(dir, { recursive: true, force: true });
});

async function findings(changes: Record<string, string> = {}, now?: Date): Promise<Finding[]> {
  const found: Finding[] = [];
  for await (const finding of checkDeployment({ ...env, ...changes }, "serving", now)) found.push(finding);
  return found;
}

/** The findings that are not ok, with the subject first. */
async function faults(changes: Record<string, string>, now?: Date): Promise<string[]> {
  const found = await findings(changes, now);
  return found.filter(({ level }) => level !== "ok").map(({ level, subject, text }) => `${level} ${subject}: ${text}`);
}

test("where nothing is wrong, each part has its line, and the command ends with 0", async () => {
  const found = await findings();
  expect(found.map(({ level }) => level)).not.toContain("problem");
  expect([...new Set(found.map(({ subject }) => subject))]).toEqual([
    "setup",
    "configuration",
    "postgresql",
    "tokens",
    "redis",
    "identity provider",
    "model",
  ]);
  const { status, stdout, stderr } = await latchkey(["doctor"], { env });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  const lines = found.map(({ level, subject, text }) => `${level.padEnd(7)}  ${subject}: ${text}\n`);
  expect(stdout).toBe(lines.join(""));
});

test("no finding contains a secret, whatever variable has it, and whether it can be read or not", async () => {
  const secret = "hidden-0123456789-hidden-0123456789";
  const unreadable = Object.fromEntries([...SECRET_FILES.keys()].map((name) => [name, secret]));
  const own = [...SECRET_FILES.keys()].flatMap((name) => env[name] ?? []);
  const passwords = own.flatMap((value) => (URL.canParse(value) ? new URL(value).password : value)).filter(Boolean);
  expect(passwords.length).toBeGreaterThan(2);
  const texts = [...(await findings(unreadable)), ...(await findings())].map(({ text }) => text).join("\n");
  expect(texts).toContain("DATABASE_URL must be");
  for (const value of [secret, ...passwords]) expect(texts).not.toContain(value);
});

describe("a problem", () => {
  test("ends the command with 1, and programs get it as JSON", async () => {
    const { status, json } = await latchkey(["doctor", "--json"], { env: { PORT: "none", REDIS_URL: "none" } });
    expect(status).toBe(1);
    expect(json().findings).toMatchObject([
      { level: "ok", subject: "setup", text: expect.stringMatching(/^Latchkey .*, with PORT, REDIS_URL$/) },
      { level: "problem", subject: "configuration", text: expect.stringMatching(/^PORT must be/) },
      { level: "problem", subject: "configuration", text: expect.stringMatching(/^REDIS_URL must be/) },
    ]);
  });

  test("is a PostgreSQL or a Redis that cannot be reached, without the password", async () => {
    const port = await freePort();
    const away = await faults({
      DATABASE_URL: `postgres://user:hidden@127.0.0.1:${port}/none`,
      REDIS_URL: `redis://user:hidden@127.0.0.1:${port}`,
    });
    expect(away).toHaveLength(2);
    expect(away[0]).toMatch(
      /^problem postgresql: The database at .*127\.0\.0\.1:\d+\/none cannot be opened: .*ECONNREFUSED/,
    );
    expect(away[1]).toMatch(/^problem redis: Redis at 127\.0\.0\.1:\d+ cannot be used: .*ECONNREFUSED/);
    expect(away.join()).not.toContain("hidden");
  });

  test("is a user of Redis that is not let in", async () => {
    const wrong = new URL(env.REDIS_URL ?? "");
    wrong.password = "hidden";
    const [only = "", ...others] = await faults({ REDIS_URL: wrong.href });
    expect(others).toEqual([]);
    expect(only).toMatch(/^problem redis: Redis at .* cannot be used: WRONGPASS/);
  });

  test("is a key set that cannot be fetched", async () => {
    const [only = ""] = await faults({ OIDC_JWKS_URL: `http://127.0.0.1:${await freePort()}/jwks` });
    expect(only).toMatch(/^problem identity provider: the key set could not be fetched: .*; check OIDC_JWKS_URL$/);
  });

  test("is a discovered key set that cannot be fetched, and the finding names what was discovered", async () => {
    const jwks_uri = `http://127.0.0.1:${await freePort()}/jwks`;
    const server = createServer((_req, res) => res.end(JSON.stringify({ issuer, jwks_uri })));
    const port = await freePort();
    const issuer = `http://127.0.0.1:${port}`;
    await once(server.listen(port, "127.0.0.1"), "listening");
    try {
      const [only = ""] = await faults({ OIDC_ISSUER: issuer, OIDC_JWKS_URL: "" });
      expect(only).toMatch(/^problem identity provider: the key set could not be fetched/);
      expect(only).toContain(`check what OIDC_ISSUER names as its jwks_uri, ${jwks_uri}`);
    } finally {
      server.close();
    }
  });
});

test("a certificate is checked against the time, and a week before its end there is a warning", async () => {
  const { certFile, keyFile } = await writeCertificate(dir, makeCertificate({ toDays: 30 }));
  const files = { TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile };
  const after = (days: number) => faults(files, new Date(Date.now() + days * 86_400_000));
  expect(await after(22)).toEqual([]);
  expect((await after(24)).join()).toMatch(/^warning certificate: .* is valid until /);
  expect((await after(31)).join()).toMatch(
    /^problem certificate: TLS_CERT_FILE must name a certificate that is valid now/,
  );
});

describe("the signing keys of tokens", () => {
  const ofTokens = async (changes: Record<string, string>) =>
    (await findings(changes)).filter(({ subject }) => subject === "tokens");

  test("are made by the first start, and a secret that does not decrypt them is a problem", async () => {
    expect(await ofTokens({ TOKEN_ISSUER: "", TOKEN_SECRET: "" })).toEqual([]);
    expect(await ofTokens(TOKENS)).toEqual([
      { level: "ok", subject: "tokens", text: "issued as https://tokens.example; the first start makes a signing key" },
    ]);
    const opened = await openDatabase({ kind: "postgres", url: database.url });
    const issuer = createIssuer({
      ...{ issuer: TOKENS.TOKEN_ISSUER, secrets: () => [TOKENS.TOKEN_SECRET], clock: () => new Date() },
      ...{ store: createSigningKeyStore(opened), onUndecryptable: () => {} },
    });
    await issuer.refresh();
    await opened.close();
    expect(await ofTokens(TOKENS)).toEqual([
      expect.objectContaining({ level: "ok", text: expect.stringContaining("TOKEN_SECRET decrypts the signing keys") }),
    ]);
    const TOKEN_SECRET = "another-secret-of-the-keys-0123456789";
    expect(await faults({ ...TOKENS, TOKEN_SECRET })).toEqual([
      `problem tokens: TOKEN_SECRET does not decrypt the signing key ${issuer.publicJwks[0]?.kid}: set the secret that it was encrypted with`,
    ]);
    expect(await faults({ ...TOKENS, TOKEN_SECRET: `${TOKEN_SECRET},${TOKENS.TOKEN_SECRET}` })).toEqual([]);
  });
});
