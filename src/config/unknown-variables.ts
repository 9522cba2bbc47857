import { editDistance, nearest } from "../domain/vocabulary/nearest.ts";
import { readConfig } from "./config.ts";
import type { Environment } from "./environment.ts";

/** Prefixes that only variables for a service like this one have. */
const PREFIXES = [
  "CONSOLE_",
  "CORS_",
  "DATABASE_",
  "EDGE_",
  "JWKS_",
  "OIDC_",
  "OPERATOR_",
  "REDIS_",
  "ROLES_",
  "SCOPES_",
  "TLS_",
  "TOKEN_",
  "TRUSTED_",
];
/** Before a known name, it is meant for this service. Others are for clients, such as the exports of `npm run dev`. */
const OWN_PREFIX = "LATCHKEY_";
/** Variables that Kubernetes sets in every pod for a service that is named, for example, `redis`. */
const SERVICE_LINK = /_SERVICE_HOST$|_SERVICE_PORT(?:_|$)|_PORT$|_PORT_\d+_(?:TCP|UDP|SCTP)(?:_|$)/;
/** OpenSSL, and so Node, reads the trusted authorities from it. It resembles TLS_CERT_FILE but is not ours. */
const OPENSSL = "SSL_CERT_FILE";
const EDITS_MAX = 2;
/** Shorter names resemble others by chance, such as HOME and HOST. */
const COMPARED_LENGTH_MIN = 8;

/**
 * A warning for each variable that is set and seems meant for this service, but that it does not read: REDIS_URI would be
 * ignored silently. Contains no values. Other programs use OPENAI_ variables, so only misspelt ones are reported.
 */
export function unknownVariables(env: Environment): string[] {
  const known = readNames();
  return Object.keys(env)
    .filter((name) => env[name]?.trim() && ![...known, OPENSSL].includes(name) && !SERVICE_LINK.test(name))
    .flatMap((name) => {
      const meant = meantBy(name, known);
      return meant === undefined ? [] : [`${name} is set but not read; is ${meant} meant?`];
    })
    .toSorted();
}

/** The names of the variables that are set and that the service reads. */
export function knownVariables(env: Environment): string[] {
  return readNames()
    .filter((name) => env[name]?.trim())
    .toSorted();
}

function meantBy(name: string, known: readonly string[]): string | undefined {
  const own = known.find((candidate) => name === OWN_PREFIX + candidate);
  if (own !== undefined) return own;
  const near = nearest(
    name,
    known.filter((candidate) => candidate.length >= COMPARED_LENGTH_MIN),
  );
  if (editDistance(name.toUpperCase(), near) <= EDITS_MAX) return near;
  const prefix = PREFIXES.find((prefix) => name.startsWith(prefix));
  if (prefix === undefined) return undefined;
  return nearest(
    name,
    known.filter((candidate) => candidate.startsWith(prefix)),
  );
}

/** All names that `readConfig` reads. */
function readNames(): string[] {
  const names = new Set<string>();
  readConfig(new Proxy({}, { get: (_env, name) => void names.add(String(name)) }));
  return [...names];
}
