import type { RequestSet } from "../load/messages.ts";
import { credentialHeaders, PATHS, probe, type Question, requestSet } from "../requests.ts";
import type { Probe } from "../server.ts";
import { bearer } from "../tokens.ts";
import type { World } from "../world.ts";

/** What the callers of a platform send: most with secret keys, some with users' tokens, some in vain. */

export const SET = "soak";
/** Requests of a set; a step sends each of them twice or so, in random order. */
const SIZE = 50_000;
/** Few, so that some of their requests exceed 100 a minute. */
const LIMITED_KEYS = 20;

/** Few, since a replica remembers each that is verified until it expires. */
export const TOKENS_OF_STEP = 100;

/** Parts of a hundred. */
const SHARES = {
  secret: 45,
  derived: 5,
  check: 10,
  threads: 4,
  unlimited: 8,
  fenced: 5,
  token: 10,
  userLimited: 6,
  limited: 4,
  revoked: 3,
} as const;

/** Fewer than it has records for: else it would forget and ask again all the time, and its memory would have no level. */
const EDGE_KEYS_MAX = 20_000;

/** The secret keys that an edge is asked about. */
export function edgeKeysOf({ keys }: World): readonly string[] {
  return keys.secrets.slice(0, EDGE_KEYS_MAX);
}

/** One request with each secret key, in order. */
export function everyKeyOf(secrets: readonly string[]): RequestSet {
  const requests = secrets.map((secret) => probe("verify", PATHS.verify, { "X-API-Key": secret }));
  return requestSet(SET, requests, "sequence");
}

/**
 * The requests of one step. Over the steps each key has its turn; each step has users' tokens of its own, and of those that stand for
 * keys, `TOKENS_OF_STEP` of `derived`.
 */
export function trafficOf(world: World, derived: readonly string[], step: number): RequestSet {
  const { secrets } = world.keys;
  return requestSet(SET, [...checksOf(world, secrets, derived, step), ...threadsOf(world, step)], "random");
}

/** The same for an edge, which has no conversations. */
export function edgeTrafficOf(world: World, derived: readonly string[], step: number): RequestSet {
  return requestSet(SET, checksOf(world, edgeKeysOf(world), derived, step), "random");
}

const count = (kind: keyof typeof SHARES) => (SIZE / 100) * SHARES[kind];

function withKeys(kind: keyof typeof SHARES, question: Question, secrets: readonly string[], from = 0): Probe[] {
  return Array.from({ length: count(kind) }, (_, n) => {
    const secret = secrets[(from + n) % secrets.length] ?? "";
    return probe(question, PATHS[question], { "X-API-Key": secret });
  });
}

function withHeaders(kind: keyof typeof SHARES, headers: readonly Readonly<Record<string, string>>[]): Probe[] {
  return Array.from({ length: count(kind) }, (_, n) =>
    probe("verify", PATHS.verify, headers[n % headers.length] ?? {}),
  );
}

function threadsOf({ keys }: World, step: number): Probe[] {
  return withKeys("threads", "list-threads", keys.secrets, step * count("threads"));
}

function checksOf(world: World, secrets: readonly string[], derived: readonly string[], step: number): Probe[] {
  const { keys } = world;
  const users = (credentials: "repeated-token" | "limited-user") =>
    credentialHeaders(world, credentials, 1).slice(0, TOKENS_OF_STEP);
  return [
    ...withKeys("secret", "verify", secrets, step * count("secret")),
    ...withKeys("check", "check", secrets, step * count("check")),
    ...withKeys("unlimited", "verify", keys.unlimited),
    ...withKeys("fenced", "verify", keys.fenced),
    ...withHeaders("derived", derived.slice(step * TOKENS_OF_STEP, (step + 1) * TOKENS_OF_STEP).map(bearer)),
    ...withHeaders("token", users("repeated-token")),
    ...withHeaders("userLimited", users("limited-user")),
    ...withKeys("limited", "verify", keys.limited.slice(0, LIMITED_KEYS)),
    ...withKeys("revoked", "verify", keys.revoked),
  ];
}
