import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { inject } from "vitest";
import { generateSigningKey, startIdentityProvider } from "../../src/dev/identity-provider.ts";
import { createDatabase, dropDatabase } from "../servers/postgres.ts";
import { type Answer, type JsonObject, post } from "./http.ts";
import { type CreatedKey, createKey, newTenant } from "./latchkey.ts";

/** One process of the product, as an operator runs it. */
export interface Replica {
  readonly url: string;
  /** What it logged so far. */
  readonly log: readonly JsonObject[];
  call(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Sends a signal and waits for the end; answers the exit status, null where the signal ended it. */
  end(signal: "SIGTERM" | "SIGKILL"): Promise<number | null>;
}

/** Replicas on one PostgreSQL database and one Redis, with one dashboard user. */
export interface Fleet {
  readonly databaseUrl: string;
  /** The OIDC configuration of publishable keys whose users the dashboard's provider knows. */
  readonly oidc: { readonly issuer: string; readonly jwksUrl: string; readonly audience: string };
  /** `file`: what to run, default the sources. */
  start(env?: Record<string, string>, file?: string): Promise<Replica>;
  /** Headers of the dashboard user, whose token was issued at an instant, default now. */
  dashboard(issuedAt?: Date): Promise<Record<string, string>>;
  createKey(replica: Replica, fields?: Record<string, unknown>): Promise<CreatedKey>;
  /** Reads a key's usage on a replica. */
  usage(replica: Replica, keyId: string): Promise<Usage>;
  close(): Promise<void>;
}

export interface Usage {
  readonly total: number;
  readonly successful: number;
  readonly failed: number;
}

const MAIN = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
const START_TIMEOUT_MS = 30_000;

export async function startFleet(redisUrl: string, postgresUrl = inject("postgresUrl")): Promise<Fleet> {
  const provider = await startIdentityProvider(await generateSigningKey());
  const databaseUrl = await createDatabase(postgresUrl);
  const tenant = newTenant();
  const replicas: Replica[] = [];
  const dashboard = async (issuedAt?: Date) => ({
    authorization: `Bearer ${await provider.sign({ sub: "user-1", tenant_id: tenant }, issuedAt)}`,
  });
  return {
    databaseUrl,
    oidc: { issuer: provider.issuer, jwksUrl: provider.jwksUrl, audience: provider.audience },
    async start(env = {}, file = MAIN) {
      const replica = await startReplica(file, {
        DATABASE_URL: databaseUrl,
        REDIS_URL: redisUrl,
        OIDC_ISSUER: provider.issuer,
        OIDC_JWKS_URL: provider.jwksUrl,
        OIDC_AUDIENCE: provider.audience,
        ...env,
      });
      replicas.push(replica);
      return replica;
    },
    dashboard,
    createKey: async (replica, fields = {}) => createKey(replica.url, await dashboard(), fields),
    async usage(replica, keyId) {
      const { json, text } = await replica.call("/api/v1/api-keys/usage", { key_id: keyId }, await dashboard());
      if (json.result === undefined) throw new Error(`no usage was told: ${text}`);
      const { total_verifications, successful_verifications, failed_verifications } = json.result;
      return { total: total_verifications, successful: successful_verifications, failed: failed_verifications };
    },
    async close() {
      await Promise.all(replicas.map((replica) => replica.end("SIGKILL")));
      await provider.close();
      await dropDatabase(postgresUrl, databaseUrl);
    },
  };
}

async function startReplica(file: string, env: Record<string, string>): Promise<Replica> {
  const child = spawn(process.execPath, [file], {
    env: { PATH: process.env.PATH, HOST: "127.0.0.1", PORT: "0", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  // A test run that is cut short must not leave processes behind.
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  child.once("exit", () => process.off("exit", kill));
  const log: JsonObject[] = [];
  const url = await listening(child, log);
  return {
    url,
    log,
    call: (path, body, headers = {}) => post(url, path, body, headers),
    async end(signal) {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill(signal);
        await once(child, "exit");
      }
      return child.exitCode;
    },
  };
}

/** The URL of the log line "listening". Keeps reading afterwards, so that the pipes never fill up. */
function listening(child: ChildProcess, log: JsonObject[]): Promise<string> {
  return new Promise((resolve, reject) => {
    let complaint = "";
    const fail = (problem: string) => reject(new Error(`The replica did not start: ${problem}. ${complaint}`));
    const timeout = setTimeout(() => fail(`nothing after ${START_TIMEOUT_MS} ms`), START_TIMEOUT_MS);
    child.once("error", (err) => fail(err.message));
    child.once("close", (status) => fail(`it ended with status ${status}`));
    child.stderr?.on("data", (chunk) => {
      complaint += chunk;
    });
    if (child.stdout === null) return;
    createInterface({ input: child.stdout }).on("line", (line) => {
      const entry: JsonObject = JSON.parse(line);
      log.push(entry);
      if (entry.msg !== "listening") return;
      clearTimeout(timeout);
      resolve(entry.url);
    });
  });
}
