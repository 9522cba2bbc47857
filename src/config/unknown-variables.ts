import { editDistance, nearest } from "../domain/nearest.ts";
import { readConfig } from "./config.ts";
import type { Environment } from "./reader.ts";

/** What only names that are meant for a service like this one begin with. */
const PREFIXES = ["CORS_", "DATABASE_", "JWKS_", "OIDC_", "REDIS_", "TLS_"];
/** With ours after it, it is meant for us; else for our clients, as the exports of `npm run dev`. */
const OWN_PREFIX = "LATCHKEY_";
/** What Kubernetes sets in every pod for a service that is named `redis`. */
const SERVICE_LINK = /_SERVICE_HOST$|_SERVICE_PORT(?:_|$)|_PORT$|_PORT_\d+_(?:TCP|UDP|SCTP)(?:_|$)/;
/** What OpenSSL reads, and with it Node: the authorities that are trusted. It is near TLS_CERT_FILE, and not meant for us. */
const OPENSSL = "SSL_CERT_FILE";
const EDITS_MAX = 2;
/** Of names that are shorter, others are near by chance: HOME of HOST. */
const COMPARED_LENGTH_MIN = 8;

/**
 * A sentence for each variable that is set and looks as if it were meant for us, but that nothing reads: REDIS_URI would be
 * passed over without a word. Never a value. Of OPENAI_ variables, which other programs have, only those that are misspelt.
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

/** Every name that is looked for where none is set. */
function readNames(): string[] {
  const names = new Set<string>();
  readConfig(new Proxy({}, { get: (_env, name) => void names.add(String(name)) }));
  return [...names];
}
