import { LRUCache } from "lru-cache";
import type { TokenExpectation } from "../../domain/identity/claims.ts";
import type { Clock } from "../../domain/ports.ts";
import type { SafeFetch } from "./safe-fetch.ts";
import { createVerificationKey, type VerificationKey } from "./verification-key.ts";

/** Served without a question for this long. */
const FRESH_MS = 300_000;
/** Served at all for this long, while the provider is asked again or cannot be reached: the life of a removed key. */
const USABLE_MS = 600_000;
/** No fetch of a set for this long after one failed. */
const FAILURE_PAUSE_MS = 5_000;
/** At most so many fetches of a set begin within the window, whatever tokens arrive. */
const FETCHES_MAX = 2;
const FETCHES_WINDOW_MS = 30_000;
const SETS_MAX = 1_000;
const KEYS_PER_SET_MAX = 100;

/** The keys of identity providers. */
export interface KeySets {
  /** The keys of a provider that may have signed a token with this `kid`. Rejects with `KeySetUnavailable`. */
  keysFor(expected: TokenExpectation, kid: unknown): Promise<readonly VerificationKey[]>;
}

/** A key set that could not be had. Says nothing about any token. */
export class KeySetUnavailable extends Error {
  override readonly name = "KeySetUnavailable";
}

interface Entry {
  keys: readonly VerificationKey[];
  /** When the fetch of `keys` began; -Infinity: there are none. */
  fetchedAtMs: number;
  /** When the last fetches began, oldest first. */
  fetchesMs: readonly number[];
  failedAtMs: number;
  failure: unknown;
  underWay: Promise<void> | undefined;
}

/**
 * A bounded cache of key sets, one for each issuer and URL.
 *
 * jose's own remote set is not used: it remembers no failure, serves nothing stale, and cannot bound how often strangers'
 * `kid`s make it fetch.
 */
export function createKeySets(ctx: { readonly fetch: SafeFetch; readonly clock: Clock }): KeySets {
  const entries = new LRUCache<string, Entry>({ max: SETS_MAX });

  function entryOf({ jwksTrust, issuer, jwksUrl }: TokenExpectation): Entry {
    const id = JSON.stringify([jwksTrust, issuer, jwksUrl]);
    const known = entries.get(id);
    if (known !== undefined) return known;
    const entry: Entry = {
      keys: [],
      fetchedAtMs: Number.NEGATIVE_INFINITY,
      fetchesMs: [],
      failedAtMs: Number.NEGATIVE_INFINITY,
      failure: undefined,
      underWay: undefined,
    };
    entries.set(id, entry);
    return entry;
  }

  /** Joins the fetch under way, or begins one where the pauses allow it. Never rejects. */
  async function refresh(entry: Entry, expected: TokenExpectation): Promise<void> {
    if (entry.underWay !== undefined) return entry.underWay;
    const nowMs = ctx.clock().getTime();
    const recent = entry.fetchesMs.filter((at) => nowMs - at < FETCHES_WINDOW_MS && at <= nowMs);
    if (recent.length >= FETCHES_MAX || nowMs - entry.failedAtMs < FAILURE_PAUSE_MS) return;
    entry.fetchesMs = [...recent, nowMs];
    entry.underWay = load(entry, expected, nowMs).finally(() => {
      entry.underWay = undefined;
    });
    return entry.underWay;
  }

  async function load(entry: Entry, { jwksUrl, jwksTrust }: TokenExpectation, startedAtMs: number): Promise<void> {
    try {
      entry.keys = parseKeySet(await ctx.fetch.fetchJson(jwksUrl, jwksTrust));
      entry.fetchedAtMs = startedAtMs;
      entry.failedAtMs = Number.NEGATIVE_INFINITY;
    } catch (err) {
      entry.failedAtMs = ctx.clock().getTime();
      entry.failure = err;
    }
  }

  return {
    async keysFor(expected, kid) {
      const entry = entryOf(expected);
      const ageMs = (): number => ctx.clock().getTime() - entry.fetchedAtMs;
      if (ageMs() >= USABLE_MS) await refresh(entry, expected);
      else if (ageMs() >= FRESH_MS) void refresh(entry, expected);
      if (ageMs() >= USABLE_MS)
        throw new KeySetUnavailable("the key set could not be fetched", { cause: entry.failure });
      if (kid === undefined) return entry.keys;
      if (!entry.keys.some((key) => key.kid === kid)) await refresh(entry, expected);
      return entry.keys.filter((key) => key.kid === kid);
    },
  };
}

/** A set with some keys that are no objects is a set all the same; without a list of keys it is none. */
function parseKeySet(value: unknown): VerificationKey[] {
  if (!isObject(value) || !Array.isArray(value.keys)) throw new Error("the document is no JSON Web Key Set");
  return value.keys.slice(0, KEYS_PER_SET_MAX).filter(isObject).map(createVerificationKey);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
