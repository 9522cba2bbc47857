import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mistakes } from "../../test/harness/config-mistakes.ts";
import { type Config, readConfig } from "./config.ts";
import type { Environment } from "./environment.ts";
import { SECRET_FILES } from "./secret-files.ts";
import { rereadSecrets } from "./secrets.ts";

const TOKEN = "o".repeat(32);
const HOOK = "h".repeat(32);
const OIDC = { OIDC_ISSUER: "https://idp", OIDC_JWKS_URL: "https://idp/keys", OIDC_AUDIENCE: "api" };

let dir: string;

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "latchkey-secrets-"));
});

afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** The path of a file with a text. The same name is the same file. */
function file(text: string, name = `${Math.random()}`): string {
  const path = join(dir, name);
  writeFileSync(path, text);
  return path;
}

/** For each secret: a value, what else must be set, and where the configuration has it. */
const SECRETS: readonly [string, string, Environment, (config: Config) => unknown][] = [
  ["DATABASE_URL", "postgres://u:p@db/x", {}, ({ storage }) => storage],
  ["REDIS_URL", "redis://:p@cache", {}, ({ redis }) => redis],
  ["REDIS_SENTINEL_PASSWORD", "p", { REDIS_URL: "redis+sentinel://s/main" }, ({ redis }) => redis],
  ["OPERATOR_TOKEN", `${TOKEN},${HOOK}`, {}, ({ operatorTokens }) => operatorTokens],
  ["EDGE_TOKEN", `${TOKEN},${HOOK}`, {}, ({ edgeTokens }) => edgeTokens],
  ["IDENTITY_HOOK_SECRET", HOOK, OIDC, ({ identityHookSecrets }) => identityHookSecrets],
  ["TOKEN_SECRET", `${TOKEN},${HOOK}`, { TOKEN_ISSUER: "https://t.example" }, ({ accessTokens }) => accessTokens],
  ["OPENAI_API_KEY", "sk-1", { OPENAI_MODEL: "m" }, ({ assistant }) => assistant],
];

test.each(SECRETS)("%s from a file is that of the variable, without the line end", (name, value, env, of) => {
  const wanted = of(readConfig({ ...env, [name]: value }));
  for (const end of ["", "\n", "\r\n"])
    expect(of(readConfig({ ...env, [`${name}_FILE`]: file(`${value}${end}`) }))).toEqual(wanted);
});

test("PGPASSWORD_FILE completes a DATABASE_URL without a password, and changes none that has one", () => {
  const urlOf = (DATABASE_URL: string) => {
    const { storage } = readConfig({ DATABASE_URL, PGPASSWORD_FILE: file(" p:@/ \n") });
    return storage.kind === "postgres" && storage.url;
  };
  expect(urlOf("postgres://u@db/x")).toBe("postgres://u:%20p%3A%40%2F%20@db/x");
  expect(urlOf("postgres://u:own@db/x")).toBe("postgres://u:own@db/x");
  expect(urlOf("postgres://u@db/x?password=own")).toBe("postgres://u@db/x?password=own");
});

test("headers for a collector come from files, percent-decoded, those of a signal before those of all", () => {
  const { tracing, otlpMetrics } = readConfig({
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector",
    OTEL_EXPORTER_OTLP_HEADERS_FILE: file("api-key=a%3Db, x=1\n"),
    OTEL_EXPORTER_OTLP_TRACES_HEADERS_FILE: file("x=2=3"),
  });
  expect(tracing?.headers).toEqual({ "api-key": "a=b", x: "2=3" });
  expect(otlpMetrics?.headers).toEqual({ "api-key": "a=b", x: "1" });
  const faulty = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector", OTEL_EXPORTER_OTLP_HEADERS_FILE: file("hunter2") };
  expect(mistakes(faulty)).toEqual([expect.stringMatching(/^OTEL_EXPORTER_OTLP_HEADERS_FILE must name a file/)]);
});

describe("a file of a secret is refused", () => {
  test.each([...SECRET_FILES])("together with the variable itself: %s", (name, fileName) => {
    expect(mistakes({ [name]: "hunter2", [fileName]: file("hunter2") })).toContainEqual(
      `${fileName} must not be set together with ${name}; keep one of the two`,
    );
  });

  test.each([...SECRET_FILES.values()])("where it is empty, missing or no file: %s", (fileName) => {
    for (const [path, problem] of [
      [file(" \n"), "names a file that is empty"],
      [join(dir, "missing"), "names a file that cannot be read (ENOENT)"],
      [dir, "names a file that cannot be read (EISDIR)"],
    ])
      expect(mistakes({ [fileName]: path })).toContainEqual(`${fileName} ${problem}: ${path}`);
  });

  test("without repeating a secret that was put into the wrong variable", () => {
    for (const secret of ["postgres://u:hunter2@db/x", "hunter2", "hunter2/x"])
      expect(mistakes({ DATABASE_URL_FILE: secret }).join()).not.toContain("hunter2");
  });

  test("where the secret in it is wrong, by the name of the variable that names it", () => {
    expect(mistakes({ OPERATOR_TOKEN_FILE: file("hunter2") })).toEqual([
      expect.stringMatching(/^OPERATOR_TOKEN_FILE must be one or two secrets/),
    ]);
    expect(mistakes({ REDIS_URL_FILE: file("hunter2") })).toEqual([
      expect.stringMatching(/^REDIS_URL_FILE must be redis:/),
    ]);
  });
});

describe("files that are read again", () => {
  function start() {
    const env = {
      ...OIDC,
      DATABASE_URL_FILE: file("postgres://u:p@db/x", "url"),
      REDIS_URL_FILE: file("redis+sentinel://:p@one/main", "redis"),
      REDIS_SENTINEL_PASSWORD_FILE: file("s", "sentinel"),
      OPERATOR_TOKEN_FILE: file(TOKEN, "token"),
      EDGE_TOKEN_FILE: file(HOOK, "edge"),
      IDENTITY_HOOK_SECRET_FILE: file(HOOK, "hook"),
      TOKEN_ISSUER: "https://tokens",
      TOKEN_SECRET_FILE: file(TOKEN, "signing"),
      KEY_PEPPERS_FILE: file('{"acme": "a pepper of acme"}', "peppers"),
      OPENAI_MODEL: "m",
      OPENAI_API_KEY_FILE: file("sk-1", "model"),
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector",
      OTEL_EXPORTER_OTLP_HEADERS_FILE: file("key=1", "headers"),
    };
    const config = readConfig(env);
    return { config, reread: () => rereadSecrets(env, config) };
  }

  test("change nothing where they have not changed", () => {
    const { config, reread } = start();
    const { secrets, changed, problems } = reread();
    expect(config).toMatchObject(secrets);
    expect([changed, problems]).toEqual([[], []]);
  });

  test("change each secret, and nothing else", () => {
    const { config, reread } = start();
    file("postgres://v:q@db/x", "url");
    file("redis+sentinel://w:q@one/main", "redis");
    file("t", "sentinel");
    file(`${HOOK},${TOKEN}`, "token");
    file(TOKEN, "hook");
    file(TOKEN, "edge");
    file(`${HOOK},${TOKEN}`, "signing");
    file('{"acme": "another pepper of acme"}', "peppers");
    file("sk-2", "model");
    file("key=2", "headers");
    const { secrets, changed, problems } = reread();
    expect(problems).toEqual([]);
    expect(changed).toHaveLength(10);
    expect(secrets).toEqual({
      storage: { ...config.storage, url: "postgres://v:q@db/x" },
      redis: { ...config.redis, credentials: { username: "w", password: "q" }, sentinelCredentials: { password: "t" } },
      operatorTokens: [HOOK, TOKEN],
      edgeTokens: [TOKEN],
      identityHookSecrets: [TOKEN],
      keyPeppers: new Map([["acme", "another pepper of acme"]]),
      accessTokens: { issuer: "https://tokens", secrets: [HOOK, TOKEN] },
      assistant: { ...config.assistant, apiKey: "sk-2" },
      tracing: { ...config.tracing, headers: { key: "2" } },
      otlpMetrics: { ...config.otlpMetrics, headers: { key: "2" } },
    });
  });

  test.each([
    ["url", "postgres://u:p@other/x", "DATABASE_URL_FILE may change its user name and password alone"],
    ["url", "postgres://u:p@db/other", "DATABASE_URL_FILE may change its user name and password alone"],
    ["url", "nonsense", "DATABASE_URL_FILE must be a URL"],
    ["redis", "redis://:p@one", "REDIS_SENTINEL_PASSWORD_FILE is for sentinels"],
    ["redis", "redis+sentinel://:p@two/main", "REDIS_URL_FILE may change its user name and password alone"],
    ["token", "short", "OPERATOR_TOKEN_FILE must be one or two secrets"],
    ["signing", "short", "TOKEN_SECRET_FILE must be one or two secrets"],
    ["hook", "", "IDENTITY_HOOK_SECRET_FILE names a file that is empty"],
    ["peppers", "hunter2", "KEY_PEPPERS_FILE names a file that is not JSON"],
    ["peppers", '["hunter2"]', "KEY_PEPPERS_FILE names a file that is not a JSON object"],
    ["peppers", '{"acme": "too short"}', "KEY_PEPPERS_FILE names a file whose members must be"],
    ["model", "sk-…", "OPENAI_API_KEY_FILE must be one line"],
    ["headers", "key", "OTEL_EXPORTER_OTLP_HEADERS_FILE must name a file"],
  ])("keep a secret whose file cannot be used, and change the others: %s with %s", (name, text, problem) => {
    const { config, reread } = start();
    const other = name === "model" ? "hook" : "model";
    file(other === "model" ? "sk-2" : TOKEN, other);
    file(text, name);
    const { secrets, changed, problems } = reread();
    expect(problems[0]).toContain(problem);
    expect(changed).toEqual([other === "model" ? "OPENAI_API_KEY" : "IDENTITY_HOOK_SECRET"]);
    const { storage, redis, operatorTokens, keyPeppers, accessTokens, tracing } = config;
    expect(secrets).toMatchObject({ storage, redis, operatorTokens, keyPeppers, accessTokens, tracing });
  });
});
