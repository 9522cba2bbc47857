// promise: clients.generated
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Callers, output, startCallers } from "./callers.ts";
import { createVenv, type Venv } from "./venv.ts";

// Clients that are generated from the document that a running service serves, and not from the protos.

let callers: Callers;
let dir: string;
let venv: Venv;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "latchkey-openapi-"));
  venv = await createVenv("openapi-python-client==0.29.1");
  callers = await startCallers();
  await writeFile(join(dir, "openapi.json"), await (await fetch(`${callers.url}/openapi.json`)).text());
}, 300_000);
afterAll(async () => {
  await callers?.close();
  await venv?.remove();
  await rm(dir, { recursive: true, force: true });
});

const TYPESCRIPT = `
import createClient from "openapi-fetch";
import type { paths } from "./api.d.ts";

declare const process: { env: Record<string, string> };
const { LATCHKEY_URL: baseUrl, LATCHKEY_TOKEN, LATCHKEY_PUBLISHABLE_KEY, LATCHKEY_USER_TOKEN } = process.env;

const dashboard = createClient<paths>({ baseUrl, headers: { Authorization: \`Bearer \${LATCHKEY_TOKEN}\` } });
const created = await dashboard.POST("/api/v1/api-keys/create", {
  body: { name: "by openapi-fetch", permissions: ["conversations:read", "plans:read"] },
});
const key: string = created.data?.result.key ?? "";

const backend = createClient<paths>({ baseUrl, headers: { "X-API-Key": key } });
const threads = await backend.POST("/api/v1/llm/gateway/list-threads", { body: { per_page: 5 } });
const denied = await backend.POST("/api/v1/api-keys/list", { body: {} });
console.log(threads.data?.pagination.per_page, denied.response.status, denied.error?.denial_reason);

const app = createClient<paths>({
  baseUrl,
  headers: { "X-API-Key": LATCHKEY_PUBLISHABLE_KEY, Authorization: \`Bearer \${LATCHKEY_USER_TOKEN}\` },
});
const verified = await app.POST("/api/v1/auth/verify", { body: { scope: "conversations:read" } });
console.log(verified.data?.caller, verified.data?.user_id);
`;

const TSCONFIG = {
  compilerOptions: {
    target: "ES2023",
    lib: ["ES2023", "DOM", "DOM.Iterable"],
    module: "nodenext",
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    allowImportingTsExtensions: true,
  },
  files: ["program.ts"],
};

test("a client by openapi-typescript and openapi-fetch is well typed, and calls the service", async () => {
  await writeFile(join(dir, "package.json"), '{"type":"module","private":true}');
  const packages = ["openapi-typescript@7.13.0", "openapi-fetch@0.17.0", "typescript@5.9.3"];
  await output("npm", ["install", "--prefix", dir, "--no-audit", "--no-fund", "--ignore-scripts", ...packages], {
    cwd: dir,
  });
  await output(join(dir, "node_modules/.bin/openapi-typescript"), ["openapi.json", "-o", "api.d.ts"], { cwd: dir });
  await writeFile(join(dir, "program.ts"), TYPESCRIPT);
  await writeFile(join(dir, "tsconfig.json"), JSON.stringify(TSCONFIG));
  await output(join(dir, "node_modules/.bin/tsc"), ["-p", "."], { cwd: dir });
  expect(await output(process.execPath, ["program.ts"], { cwd: dir, env: callers.env })).toBe(
    "5 403 insufficient_scope\nCALLER_PUBLISHABLE_KEY user_1\n",
  );
}, 300_000);

const PYTHON = `
import os

from generated import AuthenticatedClient
from generated.api.api_key import create_api_key, list_api_keys
from generated.api.auth import verify
from generated.api.gateway import list_threads
from generated.models import CreateApiKeyRequest, Error, ListApiKeysRequest, ListThreadsRequest, VerifyRequest

url = os.environ["LATCHKEY_URL"]


def with_key(key: str) -> AuthenticatedClient:
    return AuthenticatedClient(url, token=key, prefix="", auth_header_name="X-API-Key", raise_on_unexpected_status=True)


dashboard = AuthenticatedClient(url, token=os.environ["LATCHKEY_TOKEN"])
asked = CreateApiKeyRequest(name="by openapi-python-client", permissions=["conversations:read", "plans:read"])
key = create_api_key.sync(client=dashboard, body=asked).result.key

threads = list_threads.sync(client=with_key(key), body=ListThreadsRequest(per_page=5))
denied = list_api_keys.sync_detailed(client=with_key(key), body=ListApiKeysRequest())
assert isinstance(denied.parsed, Error)
print(threads.pagination.per_page, denied.status_code.value, denied.parsed.denial_reason.value)

app = AuthenticatedClient(
    url, token=os.environ["LATCHKEY_USER_TOKEN"], headers={"X-API-Key": os.environ["LATCHKEY_PUBLISHABLE_KEY"]}
)
verified = verify.sync(client=app, body=VerifyRequest(scope="conversations:read"))
print(verified.caller.value, verified.user_id)
`;

test("a client by openapi-python-client calls the service", async () => {
  const generated = await venv.run(
    "openapi-python-client",
    ["generate", "--path", "openapi.json", "--meta", "none", "--output-path", "generated"],
    { cwd: dir },
  );
  // Its own warnings say which operations or types it left out. It formats what it makes with ruff, if that is there.
  expect(generated.replaceAll(/Skipping Integration\s+ruff is not in PATH/g, "")).not.toMatch(
    /WARNING|unsupported|skip/i,
  );
  await writeFile(join(dir, "program.py"), PYTHON);
  expect(await venv.run("python", ["program.py"], { cwd: dir, env: callers.env })).toBe(
    "5 403 insufficient_scope\nCALLER_PUBLISHABLE_KEY user_1\n",
  );
}, 300_000);
