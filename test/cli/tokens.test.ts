import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { generateKey, signToken } from "../jwks/provider.ts";
import { latchkey, succeed } from "./command-line.ts";
import { type CommandTarget, startTarget } from "./services.ts";

let target: CommandTarget;
let folder: string;
beforeAll(async () => {
  target = await startTarget("the embedded store");
  folder = await mkdtemp(join(tmpdir(), "latchkey-tokens-"));
});
afterAll(async () => {
  await target.close();
  await rm(folder, { recursive: true, force: true });
});

const ISSUER = "https://ci.example.com";
const AUDIENCE = "https://latchkey.example/acme";
const SIGNER = generateKey("ES256", { kid: "ci" });

async function file(name: string, content: unknown): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

/** A key of the tenant: its id, and the environment of who has it. */
async function newKey(user: Record<string, string>) {
  const created = await succeed(["keys", "create", "--name", "k", "--scope", "plans:read", "--json"], { env: user });
  const { key, key_id } = created.json().result;
  const { LATCHKEY_TOKEN: _without, ...others } = user;
  return { key_id, env: { ...others, LATCHKEY_KEY: key } };
}

test("a token is derived, with only itself on stdout, used, listed and revoked", async () => {
  const user = await target.user();
  const { key_id, env } = await newKey(user);
  const derived = await succeed(["tokens", "derive", "--scope", "plans:read", "--ttl", "600"], { env });
  expect(derived.stdout).toMatch(/^eyJ[\w.-]+\n$/);
  const [, tokenId = ""] = /^token_id +(tok_\w+)$/m.exec(derived.stderr) ?? [];
  const asToken = { ...user, LATCHKEY_TOKEN: derived.stdout.trim() };
  expect((await succeed(["whoami"], { env: asToken })).stdout).toContain(key_id);
  for (const each of [env, user]) {
    expect((await succeed(["tokens", "list", "--key", key_id], { env: each })).stdout).toContain(tokenId);
  }
  expect((await succeed(["tokens", "revoke", tokenId], { env: user })).stdout).toMatch(/^revoked_at +\d{4}-/m);
  const refused = await latchkey(["whoami"], { env: asToken });
  expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining("token_revoked")]);
  const requests = async () => (await succeed(["requests", "list", "--token-id", tokenId], { env: user })).stdout;
  await expect.poll(requests).toContain("token_revoked");
});

test("a rule is added, checked, changed, disabled and deleted", async () => {
  const env = await target.user();
  const { key_id } = await newKey(env);
  const rule = {
    ...{ name: "CI", issuer: ISSUER, audience: AUDIENCE, key_id, scopes: ["plans:read"] },
    ...{ jwks: { keys: [SIGNER.jwk] }, claimRules: [{ claim: "sub", equals: "repo:acme/shop" }] },
  };
  const create = ["federation", "create", "--rule-file", await file("rule.json", rule), "--json"];
  const { rule_id } = (await succeed(create, { env })).json().result;
  expect((await succeed(["federation", "list"], { env })).stdout).toContain(rule_id);
  expect((await succeed(["federation", "get", rule_id], { env })).stdout).toMatch(/^claim_rules +\[\{"claim":"sub"/m);

  const nowS = Math.floor(Date.now() / 1_000);
  const claims = { iss: ISSUER, aud: AUDIENCE, sub: "repo:acme/shop", iat: nowS, exp: nowS + 600 };
  const check = async (name: string, changes: object) =>
    latchkey(
      [
        "federation",
        "check",
        rule_id,
        "--assertion-file",
        await file(name, signToken(SIGNER, { ...claims, ...changes })),
      ],
      { env },
    );
  expect((await check("good.jwt", {})).status).toBe(0);
  const refused = await check("bad.jwt", { sub: "repo:acme/other" });
  expect([refused.status, refused.stdout]).toEqual([1, expect.stringMatching(/claim_rules +no /)]);

  const changes = await file("changes.json", { claimRules: [{ claim: "sub", equals: "repo:acme/other" }] });
  await succeed(["federation", "update", rule_id, "--rule-file", changes], { env });
  expect((await check("again.jwt", { sub: "repo:acme/other" })).status).toBe(0);
  const disabled = await succeed(["federation", "update", rule_id, "--status", "disabled"], { env });
  expect(disabled.stdout).toMatch(/^status +disabled$/m);
  expect((await succeed(["federation", "delete", rule_id], { env })).stdout).toBe(`Deleted ${rule_id}.\n`);
});

test("what cannot be meant is refused before anything is sent", async () => {
  const env = await target.user();
  const wrong = await file("wrong.json", { nam: "x" });
  for (const [args, says] of [
    [["federation", "create"], "give the rule by --rule-file"],
    [["federation", "create", "--rule-file", wrong], "is not the JSON of a rule"],
    [["federation", "update", "fed_x"], "nothing to change"],
    [["federation", "check", "fed_x"], "--assertion-file"],
    [["tokens", "derive", "--ttl", "59"], "--ttl"],
  ] as const) {
    const { status, stderr } = await latchkey(args, { env });
    expect([status, stderr]).toEqual([2, expect.stringContaining(says)]);
  }
});
