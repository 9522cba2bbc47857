// promise: workloads.clients
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Employer, newEmployer } from "../harness/federation.ts";
import { bearer, type PublishableService, startPublishable } from "../harness/publishable.ts";
import { TOKEN_SECRET } from "../harness/token-settings.ts";
import { freePort } from "../servers/free-port.ts";
import { needs, output } from "./callers.ts";
import { createVenv, type Venv } from "./venv.ts";

// The clients that people have exchange a workload's token, each as its documentation says: nothing is made to fit our endpoint.

const PROGRAMS = fileURLToPath(new URL("oauth-clients", import.meta.url));
const PACKAGES = ["google-auth==2.63.0", "requests", "authlib==1.9.6"];

let service: PublishableService;
let issuer: string;
let employer: Employer;
let rule: string;
let venv: Venv;
let dir: string;
beforeAll(async () => {
  await needs("The tests with OAuth clients for Go need Go 1.26 or later: install it.", "go", "version");
  venv = await createVenv(...PACKAGES);
  dir = await mkdtemp(join(tmpdir(), "latchkey-oauth-"));
  await output("go", ["build", "-o", join(dir, "clients"), "."], { cwd: PROGRAMS });
  // Clients compare the issuer of the metadata with the address where they found it.
  const port = await freePort();
  issuer = `http://127.0.0.1:${port}`;
  service = await startPublishable({ port, accessTokens: { issuer, secrets: [TOKEN_SECRET] } });
  employer = await newEmployer(service);
  rule = (await employer.create({ scopes: ["conversations:read"] })).rule_id;
}, 600_000);
afterAll(async () => {
  await service?.latchkey.close();
  await service?.keyHost.close();
  await venv?.remove();
  await rm(dir, { recursive: true, force: true });
});

/** A new token in a file, with a newline at its end, as `kubectl create token` and editors write one. */
async function tokenFile(name: string): Promise<string> {
  const path = join(dir, name);
  await writeFile(path, `${employer.assertion()}\n`);
  return path;
}

/** Which clients have printed a token by which the rule's key may call. */
async function clientsIn(printed: string): Promise<string[]> {
  const clients: string[] = [];
  for (const line of printed.trim().split("\n")) {
    const [client = "", token = ""] = line.split("\t");
    const { json } = await service.latchkey.call("/api/v1/auth/verify", {}, bearer(token));
    expect(json, line).toMatchObject({ key_id: employer.key.key_id, permissions: ["conversations:read"] });
    clients.push(client);
  }
  return clients.toSorted();
}

test("zitadel/oidc and x/oauth2 for Go exchange tokens, and go-oidc verifies those that they get", async ({ task }) => {
  const args = [issuer, rule, employer.assertion(), await tokenFile("go")];
  expect(await clientsIn(await output(join(dir, "clients"), args))).toEqual(["x/oauth2", "zitadel/oidc"]);
  task.meta.figures = "3 clients for Go";
}, 60_000);

test("google-auth and Authlib for Python exchange tokens, by each way in which they name the client", async ({
  task,
}) => {
  const files = await Promise.all(["a", "b", "c", "d", "e"].map(tokenFile));
  const args = [join(PROGRAMS, "main.py"), `${issuer}/oauth/token`, issuer, rule, ...files];
  expect(await clientsIn(await venv.run("python", args))).toEqual([
    "Authlib by client_secret_basic",
    "Authlib by client_secret_post",
    "Authlib by none",
    "google-auth",
    "google-auth without a secret",
  ]);
  task.meta.figures = "2 clients for Python";
}, 60_000);
