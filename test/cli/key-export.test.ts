// promise: cli.import
import { hash, randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type JsonObject, post } from "../harness/http.ts";
import { newTenant } from "../harness/latchkey.ts";
import { type Ended, latchkey, start, succeed } from "./command-line.ts";
import { type CommandTarget, startTarget } from "./services.ts";

const SCOPE = "conversations:read";
const FORMAT = {
  ...{ key_format: "acme", prefix: "acme_", alphabet: "HEX", length_min: 45, length_max: 45 },
  ...{ algorithm: "SHA256", hashed_part: "WHOLE" },
};
const PUBLISHABLE = {
  keyType: "KEY_TYPE_PUBLISHABLE",
  publishableConfig: {
    oidc: { issuer: "https://idp.example.com/", jwksUrl: "https://idp.example.com/jwks.json", audience: "app" },
  },
  allowed_origins: ["https://app.example.com"],
};
const keys = Array.from({ length: 7 }, () => `acme_${randomBytes(20).toString("hex")}`);
const tenant_id = newTenant();

let cwd: string;
let here: CommandTarget;
let there: CommandTarget;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), "latchkey-export-"));
  here = await startTarget("PostgreSQL and Redis");
  there = await startTarget("PostgreSQL and Redis");
  const rows = keys.map((key, n) => ({
    ...{ tenant_id, key_format: "acme", hash: hash("sha256", key), name: `key ${n}`, permissions: [SCOPE] },
    ...{ rate_limit: { requests_per_minute: 60 }, ...(n === 1 && { disabled: true }) },
    ...(n === 2 && { revoked_at: "2026-01-01T00:00:00Z" }),
    ...(n === 3 && { expires_at: "2026-01-01T00:00:00Z" }),
  }));
  await writeFile(join(cwd, "table.ndjson"), rows.map((row) => JSON.stringify(row)).join("\n"));
  for (const target of [here, there]) await call(target, "key-formats/create", FORMAT);
  await succeed(["keys", "import", "table.ndjson", "--from", "ndjson", "--operator"], { env: here.operator, cwd });
});
afterAll(async () => {
  await Promise.all([here.close(), there.close()]);
  await rm(cwd, { recursive: true, force: true });
});

async function call({ url, operator }: CommandTarget, path: string, body: object): Promise<JsonObject> {
  const token = { authorization: `Bearer ${operator.LATCHKEY_OPERATOR_TOKEN}` };
  const { status, text, json } = await post(url, `/api/v1/operator/${path}`, body, token);
  expect(status, text).toBe(200);
  return json;
}

/** What becomes of a call with the key: `admitted`, or the reason of its denial. */
async function use({ url }: CommandTarget, key: string): Promise<string> {
  const { status, json } = await post(url, "/api/v1/llm/gateway/list-threads", {}, { "x-api-key": key });
  return status === 200 ? "admitted" : String(json.denial_reason);
}

test("an export is a new file for its owner only, and another deployment that imports it takes every key as before", async () => {
  const made = await call(here, "keys/create", { tenant_id, name: "made here", permissions: [SCOPE] });
  const page = await call(here, "keys/create", {
    ...{ tenant_id, name: "of a page", permissions: [SCOPE] },
    ...PUBLISHABLE,
  });
  const all = [...keys, made.result.key, page.result.key];
  await succeed(["keys", "export", "all.ndjson"], { env: here.operator, cwd });
  expect((await stat(join(cwd, "all.ndjson"))).mode & 0o777).toBe(0o600);
  expect((await latchkey(["keys", "export", "all.ndjson"], { env: here.operator, cwd })).status).toBe(2);
  const { stdout } = await succeed(["keys", "export"], { env: here.operator, cwd });
  const digests = (text: string) =>
    text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).hash.digest);
  expect(digests(await readFile(join(cwd, "all.ndjson"), "utf8"))).toEqual(digests(stdout));
  expect(digests(stdout).toSorted()).toEqual(all.map((key) => hash("sha256", key)).toSorted());

  const moving = ["keys", "import", "all.ndjson", "--from", "latchkey", "--operator", "--json"];
  const moved = (await succeed(moving, { env: there.operator, cwd })).json();
  expect(moved).toMatchObject({ created: all.length, refused: 0, lost: [] });
  const same = await latchkey(["keys", "compare", "all.ndjson", "--from", "latchkey"], { env: there.operator, cwd });
  expect(same).toMatchObject({ status: 0, stdout: "", stderr: "No differences.\n" });
  const { keys: published } = await call(there, "keys/list", { tenant_id, key_type: "KEY_TYPE_PUBLISHABLE" });
  expect(published).toMatchObject([PUBLISHABLE]);
  const ends = async (target: CommandTarget) => Promise.all(all.map((key) => use(target, key)));
  expect(await ends(there)).toEqual(await ends(here));
  expect(await ends(there)).toEqual(
    expect.arrayContaining(["admitted", "api_key_disabled", "api_key_revoked", "api_key_expired"]),
  );
});

test("an export to a program that reads no further ends without a word", async () => {
  const { child, ended } = start(["keys", "export", "--quiet"], { env: here.operator, cwd });
  child.stdout?.destroy();
  expect(await ended).toMatchObject({ status: 1, stderr: "" });
});

const comparing = (file: string): Promise<Ended> =>
  latchkey(["keys", "compare", file, "--from", "ndjson", "--tenant", tenant_id], { env: here.operator, cwd });

test("a comparison finds each difference of the two systems, and nothing else", async () => {
  expect(await comparing("table.ndjson")).toMatchObject({ status: 0, stdout: "" });
  const lines = (await readFile(join(cwd, "table.ndjson"), "utf8")).split("\n").map((line) => JSON.parse(line));
  const planted = [
    // Key 0 is only here, and the last one only there, as is one that has ended.
    { ...lines[1], disabled: false },
    lines[2],
    { ...lines[3], expires_at: "2126-01-01T00:00:00Z" },
    { ...lines[4], permissions: ["plans:read"] },
    { ...lines[5], rate_limit: { requests_per_hour: 60 } },
    lines[6],
    { ...lines[6], hash: hash("sha256", "only there") },
    { ...lines[6], hash: hash("sha256", "ended there"), revoked_at: "2026-01-01T00:00:00Z" },
    { name: "=unreadable" },
  ];
  await writeFile(join(cwd, "planted.ndjson"), planted.map((row) => JSON.stringify(row)).join("\n"));
  const { status, stdout, stderr } = await comparing("planted.ndjson");
  expect(status).toBe(1);
  const found = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(found.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0))).toMatchObject([
    { difference: "only_here", tenant_id, here: { status: "active" } },
    { difference: "differs", line: 1, members: { status: { there: "active", here: "disabled" } } },
    { line: 3, members: { status: { there: "active", here: "expired" }, expires_at: {} } },
    { line: 4, members: { permissions: { there: ["plans:read"], here: [SCOPE] } } },
    { line: 5, members: { rate_limit: { there: { requests_per_hour: 60 }, here: { requests_per_minute: 60 } } } },
    { difference: "missing_here", line: 7 },
    { difference: "unreadable", line: 9, problem: { member: "hash" } },
  ]);
  const counts = {
    only_here: 1,
    status: 2,
    expires_at: 1,
    permissions: 1,
    rate_limit: 1,
    missing_here: 1,
    unreadable: 1,
  };
  expect(stderr.trim().split("\n").toSorted()).toEqual(
    Object.entries(counts)
      .map(([name, count]) => `${name}: ${count}`)
      .toSorted(),
  );
});
