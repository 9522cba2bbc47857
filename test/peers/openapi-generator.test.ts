// promise: clients.generated
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Callers, needs, output, startCallers } from "./callers.ts";

// The generator that most people take for an OpenAPI document, for two languages with the options that
// docs/guides/other-languages.md names.

const PROJECT = fileURLToPath(new URL("openapi-generator", import.meta.url));
const TYPESCRIPT = "typescript@5.9.3";
/** What it says of any document in OpenAPI 3.1, of a type that is named `Error`, and of an array as an example. */
const EXPECTED =
  /OpenAPI 3\.1 support is still in beta|Error \(model name matches existing language type\)|Ignoring complex example on request body|Failed to get the schema name: null/;
const PROGRAM = `
import {
  ApiKeyApi,
  AuthApi,
  Configuration,
  GatewayApi,
  ModelErrorFromJSON,
  ResponseError,
} from "./typescript/index.ts";

declare const process: { env: Record<string, string> };
const {
  LATCHKEY_URL: basePath,
  LATCHKEY_TOKEN: token,
  LATCHKEY_PUBLISHABLE_KEY: publishableKey,
  LATCHKEY_USER_TOKEN: userToken,
} = process.env;

async function failure(calling: Promise<unknown>): Promise<void> {
  try {
    console.log("no error", await calling);
  } catch (err) {
    if (!(err instanceof ResponseError)) throw err;
    const { reason, field, denialReason } = ModelErrorFromJSON(await err.response.json());
    console.log(err.response.status, reason, field, denialReason);
  }
}

const keys = new ApiKeyApi(new Configuration({ basePath, accessToken: token }));
const { result: key } = await keys.createApiKey({
  createApiKeyRequest: { name: "by openapi-generator", permissions: ["conversations:read", "plans:read"] },
});
const page = await keys.listApiKeys({ listApiKeysRequest: { perPage: 5 } });
const listed = page.keys.find(({ keyId }) => keyId === key.keyId);
console.log(listed?.name, listed?.status, listed?.permissions.join());
await failure(keys.getApiKey({ getApiKeyRequest: { keyId: "key_none" } }));

const backend = new Configuration({ basePath, apiKey: key.key });
const threads = await new GatewayApi(backend).listThreads({ listThreadsRequest: { perPage: 5 } });
console.log("threads", threads.pagination.perPage);
await failure(new AuthApi(backend).verify({ verifyRequest: { scope: "conversations:write" } }));

const app = new Configuration({ basePath, apiKey: publishableKey, accessToken: userToken });
const verified = await new AuthApi(app).verify({ verifyRequest: { scope: "conversations:read" } });
console.log(verified.caller, verified.userId);
`;
const TSCONFIG = {
  compilerOptions: {
    target: "ES2023",
    lib: ["ES2023", "DOM", "DOM.Iterable"],
    module: "nodenext",
    strict: true,
    skipLibCheck: true,
    types: [],
    allowImportingTsExtensions: true,
    rewriteRelativeImportExtensions: true,
    outDir: "built",
  },
  files: ["calls.ts"],
};

let callers: Callers;
let dir: string;
const run = (command: string, ...args: string[]) => output(command, args, { cwd: dir, env: callers.env });

beforeAll(async () => {
  const advice = "The tests with openapi-generator need Java 17 or later and Maven: install both.";
  await needs(advice, "java", "-version");
  await needs(advice, "mvn", "-v");
  dir = await mkdtemp(join(tmpdir(), "latchkey-openapi-generator-"));
  await cp(PROJECT, dir, { recursive: true });
  await writeFile(join(dir, "package.json"), '{"type":"module","private":true}');
  await writeFile(join(dir, "tsconfig.json"), JSON.stringify(TSCONFIG));
  await writeFile(join(dir, "calls.ts"), PROGRAM);
  callers = await startCallers();
  await writeFile(join(dir, "openapi.json"), await (await fetch(`${callers.url}/openapi.json`)).text());
  await run("npm", "install", "--prefix", dir, "--no-audit", "--no-fund", "--ignore-scripts", TYPESCRIPT);
  // Generates both clients and compiles the one in Java; what it has to download is downloaded here.
  await writeFile(join(dir, "generated.log"), await run("mvn", "-B", "compile"));
}, 600_000);
afterAll(async () => {
  await callers?.close();
  await rm(dir, { recursive: true, force: true });
});

test("openapi-generator finds nothing wrong with the document", async () => {
  const log = await readFile(join(dir, "generated.log"), "utf8");
  const complaints = log.split("\n").filter((line) => /^\[(?:WARNING|ERROR)\]/.test(line) && !EXPECTED.test(line));
  expect(complaints).toEqual([]);
});

test("its Java client is compiled, creates and lists keys, and reads the reason of a denial and of an error", async ({
  task,
}) => {
  const printed = await run("mvn", "-q", "-B", "exec:java");
  // Maven resets the terminal's colours around what the program prints.
  expect(stripVTControlCharacters(printed).trim().split("\n")).toEqual([
    "by openapi-generator KEY_STATUS_ACTIVE [conversations:read, plans:read]",
    "404 key_not_found key_id null",
    "threads 5",
    "403 insufficient_scope null insufficient_scope",
    "CALLER_PUBLISHABLE_KEY user_1",
  ]);
  task.meta.figures = "Java: 6 calls of 3 callers";
}, 170_000);

test("its TypeScript client is compiled, creates and lists keys, and reads the reason of a denial and of an error", async ({
  task,
}) => {
  await run(join(dir, "node_modules/.bin/tsc"), "-p", ".");
  expect(await run(process.execPath, "built/calls.js")).toBe(
    [
      "by openapi-generator KEY_STATUS_ACTIVE conversations:read,plans:read",
      "404 key_not_found key_id undefined",
      "threads 5",
      "403 insufficient_scope undefined insufficient_scope",
      "CALLER_PUBLISHABLE_KEY user_1\n",
    ].join("\n"),
  );
  task.meta.figures = "TypeScript: 6 calls of 3 callers";
}, 170_000);
