import { randomUUID } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { exportJWK, generateKeyPair } from "jose";
import { freePort } from "../../servers/free-port.ts";
import { needs, output } from "../callers.ts";
import { type Issuer, PASSWORD, REDIRECT_URI, startProgram } from "./issuer.ts";

const SCHEMA = "/usr/share/doc/glewlwyd/database/init.sqlite3.sql.gz";
const MODULES = "/usr/lib/glewlwyd";
/** Of the schema. */
const ADMIN = { username: "admin", password: "password" };
const ALICE = { username: "alice", password: PASSWORD };
const CLIENTS = ["console", "web-app"];

/** Debian's glewlwyd on SQLite, with the schema of its package. */
export async function startGlewlwyd(): Promise<Issuer> {
  await needs("The tests with Glewlwyd need Debian's package glewlwyd: install it.", "glewlwyd", "--version");
  const dir = await mkdtemp(join(tmpdir(), "latchkey-glewlwyd-"));
  const [port, database] = [await freePort(), join(dir, "glewlwyd.sqlite3")];
  const url = `http://127.0.0.1:${port}`;
  const schema = await promisify(gunzip)(await readFile(SCHEMA));
  await writeFile(join(dir, "schema.sql"), schema);
  const create = "import sqlite3, sys; sqlite3.connect(sys.argv[1]).executescript(open(sys.argv[2]).read())";
  await output("python3", ["-c", create, database, join(dir, "schema.sql")]);
  await writeFile(join(dir, "glewlwyd.conf"), configuration(port, database));
  const stop = await startProgram(`${url}/config`, "glewlwyd", ["--config-file", join(dir, "glewlwyd.conf")]);
  try {
    await configure(await signedIn(url, ADMIN), url);
    const call = await signedIn(url, ALICE);
    for (const client of CLIENTS) await call("PUT", `auth/grant/${client}`, { scope: "openid" });
    return {
      url,
      tokenFor: (client) => idToken(call, client),
      stop: async () => {
        await stop();
        await rm(dir, { recursive: true, force: true });
      },
    };
  } catch (err) {
    await stop();
    throw err;
  }
}

const configuration = (port: number, database: string) => `
port = ${port}
bind_address = "127.0.0.1"
external_url = "http://127.0.0.1:${port}/"
api_prefix = "api"
log_mode = "console"
cookie_secure = 0
cookie_same_site = "empty"
session_key = "GLEWLWYD2_SESSION_ID"
admin_scope = "g_admin"
profile_scope = "g_profile"
user_module_path = "${MODULES}/user"
client_module_path = "${MODULES}/client"
user_auth_scheme_module_path = "${MODULES}/scheme"
plugin_module_path = "${MODULES}/plugin"
hash_algorithm = "SHA512"
database = { type = "sqlite3", path = "${database}" }
`;

type Call = (method: string, path: string, body?: object) => Promise<Response>;

/** Calls its API with the session of a user. Throws for an error. */
async function signedIn(url: string, user: object): Promise<Call> {
  let cookie = "";
  const call: Call = async (method, path, body) => {
    const isForm = body instanceof URLSearchParams;
    const sent = isForm || body === undefined ? body : JSON.stringify(body);
    const response = await fetch(`${url}/api/${path}`, {
      ...{ method, redirect: "manual", headers: { cookie, ...(!isForm && { "content-type": "application/json" }) } },
      ...(sent !== undefined && { body: sent }),
    });
    if (response.status >= 400) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    cookie = response.headers.getSetCookie()[0]?.split(";", 1)[0] ?? cookie;
    return response;
  };
  await call("POST", "auth/", user);
  return call;
}

/** The plugin for OpenID Connect with a key of its own, both clients and the user, as its administration page makes them. */
async function configure(call: Call, url: string): Promise<void> {
  const { privateKey } = await generateKeyPair("RS256", { extractable: true });
  const key = { ...(await exportJWK(privateKey)), kid: randomUUID(), alg: "RS256", use: "sig" };
  const flows = ["code", "refresh"].map((flow) => [`auth-type-${flow}-enabled`, true]);
  const parameters = {
    ...{ iss: `${url}/api/oidc`, "jwks-private": JSON.stringify({ keys: [key] }), "default-kid": key.kid },
    ...{ "allowed-scope": ["openid"], "jwks-show": true, "subject-type": "public", "jwt-type": "rsa" },
    ...{ "jwt-key-size": "256", "pkce-allowed": true, "allow-non-oidc": false, ...Object.fromEntries(flows) },
    ...{ "access-token-duration": 3_600, "refresh-token-duration": 3_600, "code-duration": 60 },
  };
  await call("POST", "mod/plugin/", { module: "oidc", name: "oidc", display_name: "OpenID Connect", parameters });
  for (const client_id of CLIENTS) {
    const flow = { redirect_uri: [REDIRECT_URI], authorization_type: ["code"] };
    const client = { client_id, name: client_id, enabled: true, confidential: false, scope: [], ...flow };
    await call("POST", "client/", client);
  }
  await call("POST", "user/", { ...ALICE, name: "Alice", enabled: true, scope: ["openid"] });
}

async function idToken(call: Call, client_id: string): Promise<string> {
  const common = { client_id, redirect_uri: REDIRECT_URI };
  const asked = { ...common, response_type: "code", scope: "openid", nonce: randomUUID(), state: "s" };
  const led = await call("GET", `oidc/auth?${new URLSearchParams(asked)}&g_continue`);
  const code = new URL(led.headers.get("location") ?? "").searchParams.get("code") ?? "";
  const form = new URLSearchParams({ ...common, grant_type: "authorization_code", code });
  const { id_token } = (await (await call("POST", "oidc/token", form)).json()) as { id_token: string };
  return id_token;
}
