// promise: cli.import
import { hash, randomBytes } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SOURCES } from "../../src/cli/import/sources.ts";
import { type JsonObject, post } from "../harness/http.ts";
import { newTenant } from "../harness/latchkey.ts";
import { latchkey, start, succeed } from "./command-line.ts";
import { type Door, startDoor } from "./door.ts";
import { type CommandTarget, startTarget } from "./services.ts";

const SCOPE = "conversations:read";
const MAP = {
  scopes: {
    ...{ "files:read": [SCOPE], "files:write": [SCOPE], "users:read": [SCOPE] },
    ...{ "documents.read": [SCOPE], "documents.*": [SCOPE] },
  },
  without_scopes: [SCOPE],
};

let cwd: string;
let target: CommandTarget;
let door: Door;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), "latchkey-import-"));
  target = await startTarget("PostgreSQL and Redis");
  door = await startDoor(target.url);
  await writeFile(join(cwd, "map.json"), JSON.stringify(MAP));
});
afterAll(async () => {
  await door.close();
  await target.close();
  await rm(cwd, { recursive: true, force: true });
});

const importing = (file: string, from: keyof typeof SOURCES, ...args: readonly string[]) => [
  ...["keys", "import", file, "--from", from, "--operator", "--json", ...args],
];

/** What becomes of a call with the key: `admitted`, or the reason of its denial. */
async function use(key: string, url = target.url): Promise<string> {
  const { status, json } = await post(url, "/api/v1/llm/gateway/list-threads", {}, { "x-api-key": key });
  return status === 200 ? "admitted" : String(json.denial_reason);
}

async function operatorCall(path: string, body: object): Promise<JsonObject> {
  const token = { authorization: `Bearer ${target.operator.LATCHKEY_OPERATOR_TOKEN}` };
  const { status, text, json } = await post(target.url, `/api/v1/operator/${path}`, body, token);
  expect(status, text).toBe(200);
  return json;
}

function createFormat(
  key_format: string,
  prefix: string,
  alphabet: string,
  length_min: number,
  length_max = length_min,
) {
  return operatorCall("key-formats/create", {
    ...{ key_format, prefix, alphabet, length_min, length_max, algorithm: "SHA256" },
  });
}

/** Each export with a key that it has, and how a call with it ends. */
const EXPORTS: Record<
  string,
  { from: keyof typeof SOURCES; format?: string; keys: Record<string, string>; refused?: number }
> = {
  "better-auth.csv": {
    ...{ from: "better-auth", format: "better-auth" },
    keys: {
      TYOAooQWXFdQpYCLrFtlJhfaZcsfuJaIqJuIkQylhFdpEELRQLwPAXsqfgLOuBaz: "admitted",
      acme_usiqbBAyLtqdxPYAoKzAXYYbiIqGwtqueVHcWiAIukPnCmhrGjzczjTXqndMsyuA: "api_key_disabled",
    },
  },
  "litellm.ndjson": {
    ...{ from: "litellm", format: "litellm" },
    keys: { "sk-hcArY2wxP0bDtjG5ZFfw2g": "admitted", "sk-qIlua7liF-feYWLmemDA4A": "api_key_disabled" },
  },
  "kong-key-auths.json": { from: "kong", keys: { k7Wn2Xc9Vb4Lm1Qz8Rt5Yp3Hd6Jf0GsB: "admitted" } },
  "unkey-table.ndjson": {
    ...{ from: "unkey", format: "unkey" },
    keys: { unkey_9XbT2LwQm6NcR4vHs8KdF1: "api_key_disabled" },
  },
  "unkey-list.json": {
    from: "unkey",
    format: "unkey",
    keys: { unkey_9XbT2LwQm6NcR4vHs8KdF1: "api_key_disabled" },
    refused: 1,
  },
  "table.csv": {
    ...{ from: "csv", format: "home-made", refused: 1 },
    keys: { sk_live_4eC39HqLyjWDarjtT1zdp7dcXk20Ab91: "admitted" },
  },
};

test("keys of each system are imported from its export, and go on as they were there", async () => {
  await createFormat("better-auth", "", "BASE64URL", 64, 69);
  await createFormat("litellm", "sk-", "BASE64URL", 25);
  await createFormat("kong", "", "BASE62", 32);
  await createFormat("unkey", "unkey_", "BASE62", 28);
  await createFormat("home-made", "sk_live_", "BASE62", 40);
  const made = Object.values(EXPORTS).map(({ from }) => from);
  // The other tests have these.
  expect(new Set([...made, "ndjson", "latchkey"])).toEqual(new Set(Object.keys(SOURCES)));
  const tenant = newTenant();
  for (const [name, { from, format, keys, refused = 0 }] of Object.entries(EXPORTS)) {
    const file = fileURLToPath(new URL(`fixtures/import/${name}`, import.meta.url));
    const named = format === undefined ? [] : ["--key-format", format];
    const options = ["--map", "map.json", "--tenant", tenant, "--exported-at", "2126-11-29T08:00:00Z", ...named];
    const { status, stdout, json } = await latchkey(importing(file, from, ...options), { env: target.operator, cwd });
    expect(status, `${name}: ${stdout}`).toBe(refused > 0 ? 1 : 0);
    expect(json().refused, `${name}: ${stdout}`).toBe(refused);
    for (const [key, ends] of Object.entries(keys)) expect(await use(key), `${name} ${key}`).toBe(ends);
  }
});

const ROWS = 4_000;

/** A table of keys of a format of its own: its file, and the keys. */
async function tableOf(rows: number, members: object = {}): Promise<{ file: string; format: string; keys: string[] }> {
  const format = `table-${randomBytes(4).toString("hex")}`;
  const prefix = `${format}_`;
  await createFormat(format, prefix, "HEX", prefix.length + 40);
  const keys = Array.from({ length: rows }, () => prefix + randomBytes(20).toString("hex"));
  const tenant_id = newTenant();
  const lines = keys.map((key) =>
    JSON.stringify({
      tenant_id,
      key_format: format,
      hash: hash("sha256", key),
      name: "a",
      permissions: [SCOPE],
      ...members,
    }),
  );
  const file = `${format}.ndjson`;
  await writeFile(join(cwd, file), lines.join("\n"));
  return { file, format, keys };
}

test("an import that is killed goes on: each key is created once, and works", async () => {
  const { file, keys } = await tableOf(ROWS);
  door.set((n) => (n < 2 ? "pass" : "hold"));
  const through = { ...target.operator, LATCHKEY_URL: door.url };
  const { child, ended } = start(importing(file, "ndjson"), { env: through, cwd });
  await door.held();
  child.kill("SIGKILL");
  await ended;
  const again = (await succeed(importing(file, "ndjson"), { env: target.operator, cwd })).json();
  expect(again).toMatchObject({ rows: ROWS, created: 2_000, exists: 2_000, refused: 0 });
  for (const key of [keys[0], keys.at(-1)]) expect(await use(key ?? "")).toBe("admitted");
});

test("calls that the service cannot take, and answers that are lost, are made again; Ctrl-C ends in good order", async () => {
  const { file } = await tableOf(ROWS);
  door.set((n) => (["refuse", "lose", "refuse", "lose"] as const)[n] ?? "pass");
  const through = { ...target.operator, LATCHKEY_URL: door.url };
  const went = (await succeed(importing(file, "ndjson"), { env: through, cwd })).json();
  expect(went).toMatchObject({ rows: ROWS, created: 2_000, exists: 2_000, refused: 0 });

  door.set((n) => (n === 0 ? "pass" : "hold"));
  const { child, ended } = start(importing(file, "ndjson"), { env: through, cwd });
  await door.held();
  child.kill("SIGINT");
  door.set(() => "refuse");
  const { status, stderr, json } = await ended;
  expect(status, stderr).not.toBe(0);
  expect(json()).toMatchObject({ rows: 1_000, exists: 1_000, refused: 0 });
});

const CELLS = /[,;\t|\s]|"/;

test("refused rows are in a file for its owner only, in which no cell is a formula, and are imported from it again", async () => {
  const name = "=cmd|' /C calc'!A0";
  const hostile = { name, external_id: "@SUM(1)", metadata: { "+1": ["-1"] } };
  const { file, keys } = await tableOf(2, hostile);
  const more = [
    JSON.stringify({ key: `nobody_${randomBytes(20).toString("hex")}`, name: "of no format", permissions: [SCOPE] }),
    JSON.stringify({ hash: hash("sha256", "a"), name: "of no format either", permissions: [SCOPE] }),
    JSON.stringify({ hash: hash("sha256", "a"), key_format: "none", name: "lone \ud800", permissions: [SCOPE] }),
    JSON.stringify({ hash: "x", key_format: "none", name: "no digest", permissions: [SCOPE] }),
  ];
  const rows = (await readFile(join(cwd, file), "utf8")).replaceAll(/"tenant_id":"[^"]*",/g, "");
  await writeFile(join(cwd, file), [rows, ...more].join("\n"));
  const first = await latchkey(importing(file, "ndjson"), { env: target.operator, cwd });
  const { refused_file } = first.json();
  expect([first.status, first.json().refused, refused_file]).toEqual([1, 6, `${file}.refused.ndjson`]);
  expect((await stat(join(cwd, refused_file))).mode & 0o777).toBe(0o600);
  const text = await readFile(join(cwd, refused_file), "utf8");
  expect(text.split(CELLS).filter((cell) => /^[=+\-@\uff0b\uff0d\uff1d\uff20]/.test(cell))).toEqual([]);
  expect(text.split("\n").map((line) => line.slice(0, 10))).toEqual(
    [1, 2, 3, 4, 5, 6].map((n) => `{"line":${n},`).concat(""),
  );

  const tenant = newTenant();
  const again = [...importing(refused_file, "latchkey"), "--tenant", tenant];
  const second = await latchkey(again, { env: target.operator, cwd });
  expect([second.status, second.json()]).toMatchObject([1, { created: 2, refused: 4 }]);
  expect(second.json().refused_file).toBe(`${refused_file}.refused.ndjson`);
  expect(await use(keys[0] ?? "")).toBe("admitted");
  const { keys: found } = await operatorCall("keys/list", { tenant_id: tenant });
  expect(found[0]).toMatchObject(hostile);
  expect((await readdir(cwd)).filter((each) => each.startsWith(file))).toHaveLength(3);
});

test("a dry run stores nothing, and says which formats keys need; a file that cannot be written is found before", async () => {
  const { file, keys } = await tableOf(3);
  const dry = await succeed(["keys", "import", file, "--from", "ndjson", "--operator", "--dry-run"], {
    env: target.operator,
    cwd,
  });
  expect(dry.stdout).toMatch(/^created +3$/m);
  expect(dry.stdout).toMatch(/^PREFIX +ALGORITHM/m);
  expect(await use(keys[0] ?? "")).toBe("api_key_not_found");
  const taken = await latchkey(importing(file, "ndjson", "--refused-file", file), { env: target.operator, cwd });
  expect([taken.status, taken.stdout]).toEqual([2, ""]);
  expect(await use(keys[0] ?? "")).toBe("api_key_not_found");
});

test("a dashboard user imports keys of their tenant by the keys themselves", async () => {
  const { format, keys } = await tableOf(1);
  const file = `${format}-plain.ndjson`;
  await writeFile(join(cwd, file), JSON.stringify({ key: keys[0], name: "a", permissions: [SCOPE] }));
  const env = await target.user();
  const hashed = await latchkey(["keys", "import", file, "--from", "ndjson", "--json"], { env, cwd });
  expect([hashed.status, hashed.json().refused]).toEqual([1, 1]);
  expect(
    (await succeed(["keys", "import", file, "--from", "ndjson", "--json", "--send-keys"], { env, cwd })).json(),
  ).toMatchObject({
    created: 1,
  });
  expect(await use(keys[0] ?? "")).toBe("admitted");
});
