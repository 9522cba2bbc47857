import type { Credentials, LatchkeyClient } from "../../clients/typescript/src/index.ts";
import packageJson from "../../package.json" with { type: "json" };
import type { Environment } from "../config/environment.ts";
import { isLoopback } from "../config/loopback.ts";
import { UsageError } from "./exit-status.ts";
import { type FoundSecret, readSecret, type SecretSource } from "./input/secret-source.ts";

/** Options of every command that calls a service. */
export interface ConnectionOptions {
  readonly url?: string;
  readonly timeout?: number;
  readonly tokenFile?: string;
  readonly keyFile?: string;
  readonly operatorTokenFile?: string;
}

/** A credential's name here, which is also that of its option. */
type CredentialName = "token" | "key" | "operatorToken";

const OPTIONS: Readonly<Record<CredentialName, string>> = {
  token: "--token-file",
  key: "--key-file",
  operatorToken: "--operator-token-file",
};

/** The callers that a command is for, the likeliest credential first. */
export type CallerKind = "user" | "operator" | "any";

const CREDENTIALS: Readonly<Record<CallerKind, readonly CredentialName[]>> = {
  // The service denies a key there, and its denial says what is needed.
  user: ["token", "key"],
  operator: ["operatorToken", "token", "key"],
  any: ["key", "token", "operatorToken"],
};

const VARIABLES: Readonly<Record<CredentialName, readonly string[]>> = {
  token: ["LATCHKEY_TOKEN"],
  key: ["LATCHKEY_KEY"],
  // The second is the service's own variable, so that the command works in its container as it is.
  operatorToken: ["LATCHKEY_OPERATOR_TOKEN", "OPERATOR_TOKEN"],
};

const ADVICE: Readonly<Record<CallerKind, string>> = {
  user: "set LATCHKEY_TOKEN to a dashboard user's token, or name a file that has it with --token-file",
  operator:
    "set LATCHKEY_OPERATOR_TOKEN to the operator's token, or name a file that has it with --operator-token-file",
  any: "set LATCHKEY_KEY to an API key or LATCHKEY_TOKEN to a user's token, or name a file with --key-file or --token-file",
};

/** Where a service listens by default, on this machine. */
const PORT_DEFAULT = "8080";
const TIMEOUT_S_DEFAULT = 30;

/** Whether a command was given this credential. Reads nothing, so that stdin is left to what needs it. */
export function hasCredential(name: CredentialName, env: Environment, options: ConnectionOptions): boolean {
  if (options[`${name}File`] !== undefined) return true;
  return (
    !hasOptions(options) && VARIABLES[name].some((variable) => env[variable]?.trim() || env[`${variable}_FILE`]?.trim())
  );
}

/**
 * A client for the first of the caller's credentials that is there. Throws `UsageError` if none is, or one is malformed.
 * `warn` gets what the caller should know before they are sent, and `rejected`, once, which variable or option had them if
 * the service does not accept them.
 */
export async function connect(
  kind: CallerKind,
  env: Environment,
  options: ConnectionOptions,
  warn: (text: string) => void,
  rejected: (text: string) => void,
): Promise<LatchkeyClient> {
  const credential = firstOf(kind, env, options);
  if (credential === undefined) throw new UsageError(`No credentials: ${ADVICE[kind]}`);
  // The client is a third of what this program loads, and only some commands need it.
  const { createLatchkeyClient } = await import("../../clients/typescript/src/index.ts");
  const baseUrl = baseUrlOf(kind, env, options);
  const onRejected = () => rejected(`${new URL(baseUrl).origin} did not accept the credentials of ${credential.from}.`);
  // A command may have to work where only http:// is; the caller is warned.
  const insecureHttp = true;
  const timeoutMs = 1_000 * (options.timeout ?? TIMEOUT_S_DEFAULT);
  const common = { baseUrl, insecureHttp, fetch: namedFetch(onRejected), timeoutMs };
  try {
    const client = createLatchkeyClient({ ...common, ...toCredentials(credential, env, options) });
    if (isReadable(new URL(baseUrl))) warn(IN_THE_CLEAR);
    return client;
  } catch (err) {
    // The client's names of its options: `baseUrl`, `apiKey`.
    throw err instanceof TypeError ? new UsageError(`The service cannot be called: ${err.message}`) : err;
  }
}

/** By its name the service's operator sees which commands of which version are in use. */
function namedFetch(onRejected: () => void): typeof fetch {
  let isRejected = false;
  return async (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set("User-Agent", `latchkey-cli/${packageJson.version}`);
    const response = await fetch(input, { ...init, headers });
    if (response.status === 401 && !isRejected) onRejected();
    isRejected ||= response.status === 401;
    return response;
  };
}

const IN_THE_CLEAR =
  "Warning: the service's URL begins with http://, so the credentials and the response are sent in the clear; use https://.";

/** Whether others than this machine could read what is sent. */
function isReadable({ protocol, hostname }: URL): boolean {
  return protocol === "http:" && !isLoopback(hostname);
}

interface Credential extends FoundSecret {
  readonly name: CredentialName;
}

function firstOf(kind: CallerKind, env: Environment, options: ConnectionOptions): Credential | undefined {
  for (const name of CREDENTIALS[kind]) {
    const found = readSecret(env, sourceOf(name, options));
    if (found !== undefined) return { name, ...found };
  }
  return undefined;
}

function toCredentials({ name, secret }: Credential, env: Environment, options: ConnectionOptions): Credentials {
  switch (name) {
    case "token":
      return { getUserToken: () => secret };
    case "operatorToken":
      // Two may be set, with a comma between them, while the operator's token is changed. The first is the new one.
      return { getUserToken: () => secret.split(",")[0]?.trim() ?? "" };
    case "key": {
      const token = secret.startsWith("pk_") ? readSecret(env, sourceOf("token", options))?.secret : undefined;
      return token === undefined ? { apiKey: secret } : { apiKey: secret, getUserToken: () => token };
    }
    default:
      return name satisfies never;
  }
}

/** A credential that is named on the command line outranks all of the environment's. */
function sourceOf(name: CredentialName, options: ConnectionOptions): SecretSource {
  return { file: options[`${name}File`], option: OPTIONS[name], variables: hasOptions(options) ? [] : VARIABLES[name] };
}

function hasOptions({ tokenFile, keyFile, operatorTokenFile }: ConnectionOptions): boolean {
  return [tokenFile, keyFile, operatorTokenFile].some((file) => file !== undefined);
}

/** By default the service of this environment, as in its container, where the operator may have a port of their own. */
function baseUrlOf(kind: CallerKind, env: Environment, { url }: ConnectionOptions): string {
  const named = url ?? env.LATCHKEY_URL?.trim();
  if (named) return named;
  const adminPort = kind === "operator" ? env.ADMIN_PORT?.trim() : undefined;
  return `http://127.0.0.1:${adminPort || env.PORT?.trim() || PORT_DEFAULT}`;
}
