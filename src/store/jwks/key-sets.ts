import type { JwksOwner, KeySource } from "../../domain/tokens/claims.ts";
import type { KeySetReport } from "../../domain/tokens/key-set-report.ts";
import type { Clock } from "../../domain/vocabulary/clock.ts";
import { FetchesExhausted } from "../http/guarded-client.ts";
import { type KeySet, parseKeySet } from "./key-set.ts";
import { keySetProblem } from "./key-set-problem.ts";
import { createSharedCache, type SharedCache, type SharedCacheBounds } from "./shared-cache.ts";
import type { VerifiedTokens } from "./verified-tokens.ts";

/**
 * The key sets of all providers, fetched when needed.
 *
 * We do not use jose's `createRemoteJWKSet`: it does not cache failures (each caller of an unreachable provider would wait
 * for a fetch of its own), serves nothing while the provider is down, has no size limit, and uses its own clock.
 */
export interface KeySets {
  /** The provider's cached keys, if they are not expired. Stale ones are refetched in the background. */
  current(source: KeySource): KeySet | undefined;
  /**
   * Runs `attempt` on the provider's keys. If it finds nothing, runs it once more on newer keys, if they may be fetched:
   * that is how a rotation is noticed. Returns undefined if it still finds nothing. A caller waits for at most one fetch,
   * which takes at most 5 s. Throws `KeysUnavailable`.
   */
  use<T>(source: KeySource, attempt: (keys: KeySet) => T | undefined | Promise<T | undefined>): Promise<T | undefined>;
  /**
   * Call it for a token that the key of its `kid` did not sign: another key may be published under this id by now. Fetches
   * at most once in `FETCHES_SPAN_MS`, so that one fetch remains for new ids, however many forged tokens arrive.
   */
  refetchInBackground(source: KeySource): void;
  /**
   * Reports the provider's key set to the tenant that configured it. Fetches, unless the set was fetched within
   * `FETCHES_SPAN_MS`, so that one fetch remains for new ids, however often this is called.
   */
  inspect(source: KeySource): Promise<KeySetReport>;
}

/** Fetches of a key set began to fail, or succeed again. */
export interface KeySetChange {
  readonly source: KeySource;
  /** From `keySetProblem`. Undefined: fetches succeed again. */
  readonly problem: string | undefined;
}

/** How a fetch of a key set ended: with keys, without an answer that is a key set, or before anything was sent. */
export type KeySetFetch = "ok" | "failed" | "not_sent";

/** No usable key set is cached, and none can be fetched now. `onChange` has reported why. */
export class KeysUnavailable extends Error {
  override readonly name = "KeysUnavailable";
  /** Ms until the next fetch. The same for every cause: a tenant could otherwise explore our network. */
  readonly retryAfterMs: number;

  constructor(retryAfterMs: number) {
    super("no current key set");
    this.retryAfterMs = retryAfterMs;
  }
}

type Bounds = Readonly<Record<JwksOwner["kind"], SharedCacheBounds>>;

/**
 * Bounds of the caches: one for tenants' sets, one for the operator's. Beyond them, the least recently used set is evicted
 * and fetched again when it is needed. A usual set takes 20 KB, the largest one 6 MB.
 */
export const BOUNDS: Bounds = {
  tenant: { all: { count: 1_000, bytes: 64_000_000 }, share: { count: 250, bytes: 16_000_000 } },
  operator: { all: { count: 10, bytes: 64_000_000 }, share: { count: 10, bytes: 64_000_000 } },
};
/** Counted size of an entry without a fetched set. */
const ENTRY_BYTES = 4_000;
/** Age at which a set is stale: it is refetched in the background and still used meanwhile. */
const FRESH_MS = 300_000;
/**
 * Age at which a set expires, even while the provider is down. Counted from the start of its fetch: a key that the
 * provider removes stops working within this time.
 */
const USABLE_MS = 600_000;
/** Pause after a failed fetch; meanwhile callers get an error at once. After a second failure the span below applies. */
const FAILURE_PAUSE_MS = 5_000;
/**
 * Maximum number of fetches that begin in any span of this length. Anyone can make tokens with invented key ids, so
 * these must not flood the provider with requests. A real rotation is followed within the span.
 */
const FETCHES_MAX = 2;
const FETCHES_SPAN_MS = 30_000;

interface Entry {
  /** The tenant that used it first. The entry counts in its share of the cache. */
  readonly account: string;
  bytes: number;
  latest: { readonly keys: KeySet; readonly from: Instant } | undefined;
  /** When the last fetch ended, if it failed. */
  failedMs: number | undefined;
  /** Why fetches fail, as last passed to `onChange`. Undefined: they succeed. */
  problem: string | undefined;
  /** When the latest fetches began, newest last; at most `FETCHES_MAX`. */
  startsMs: readonly number[];
  /** The fetch under way, shared by all callers. Resolves to undefined if it failed. Rejects if it was never sent. */
  flight: Promise<KeySet | undefined> | undefined;
}

/** The wall clock can be set back. The monotonic clock cannot, but may stand still while the machine sleeps. */
interface Instant {
  readonly wallMs: number;
  readonly monotonicMs: number;
}

export function createKeySets(ctx: {
  readonly clock: Clock;
  /** Milliseconds of a clock that is never set back. */
  readonly monotonicMs: () => number;
  readonly fetchText: (url: string, owner: JwksOwner) => Promise<string>;
  /** Creates the token cache of a new set. */
  readonly verifiedTokens: () => VerifiedTokens;
  /** Called once for each change between failing and not. */
  readonly onChange: (change: KeySetChange) => void;
  /** Called after each fetch with how long it took, in ms. */
  readonly onFetched: (owner: JwksOwner, outcome: KeySetFetch, ms: number) => void;
  /** For tests; `BOUNDS` by default. */
  readonly bounds?: Bounds;
}): KeySets {
  const bounds = ctx.bounds ?? BOUNDS;
  // One cache for each kind of owner, since the rules for fetches differ. Keyed by URL and not by issuer: the claim is
  // checked for each token, and many issuers that share one document must not multiply its fetches.
  const entriesOf: Record<JwksOwner["kind"], SharedCache<Entry>> = {
    tenant: createSharedCache(bounds.tenant, forgetTokens),
    operator: createSharedCache(bounds.operator, forgetTokens),
  };

  function knownEntry({ jwksOwner, jwksUrl }: KeySource): Entry | undefined {
    return entriesOf[jwksOwner.kind].get(jwksUrl);
  }

  function entryOf(source: KeySource): Entry {
    const known = knownEntry(source);
    if (known !== undefined) return known;
    const { jwksOwner, jwksUrl } = source;
    const account = jwksOwner.kind === "tenant" ? jwksOwner.tenantId : "";
    const nothing = { latest: undefined, failedMs: undefined, problem: undefined, startsMs: [], flight: undefined };
    const entry: Entry = { account, bytes: ENTRY_BYTES, ...nothing };
    entriesOf[jwksOwner.kind].add(jwksUrl, entry);
    return entry;
  }

  /** Returns the fetch under way or begins one. Undefined: none may begin now. */
  function fetchOnce(entry: Entry, source: KeySource): Entry["flight"] {
    const nowMs = ctx.clock().getTime();
    if (entry.flight === undefined && fetchPauseMs(entry, nowMs) === 0) {
      const { startsMs } = entry;
      entry.startsMs = [...startsMs, nowMs].slice(-FETCHES_MAX);
      entry.flight = fetchKeys(entry, source, { wallMs: nowMs, monotonicMs: ctx.monotonicMs() })
        .catch((err: unknown) => {
          // Nothing was sent: another tenant with the same provider may have capacity and must be able to fetch at once.
          entry.startsMs = startsMs;
          reportChange(entry, source, keySetProblem(err));
          throw err;
        })
        .finally(() => {
          entry.flight = undefined;
        });
    }
    return entry.flight;
  }

  /** Undefined: the provider failed. Throws `FetchesExhausted`. */
  async function fetchKeys(entry: Entry, source: KeySource, from: Instant): Promise<KeySet | undefined> {
    const report = (outcome: KeySetFetch): void =>
      ctx.onFetched(source.jwksOwner, outcome, ctx.monotonicMs() - from.monotonicMs);
    try {
      const text = await ctx.fetchText(source.jwksUrl, source.jwksOwner);
      const keys = parseKeySet(text, ctx.verifiedTokens());
      report("ok");
      forgetTokens(entry);
      entry.latest = { keys, from };
      entry.failedMs = undefined;
      reportChange(entry, source, undefined);
      entry.bytes = ENTRY_BYTES + keys.bytes;
      entriesOf[source.jwksOwner.kind].bound(entry.account);
      return keys;
    } catch (cause) {
      report(cause instanceof FetchesExhausted ? "not_sent" : "failed");
      if (cause instanceof FetchesExhausted) throw cause;
      entry.failedMs = ctx.clock().getTime();
      reportChange(entry, source, keySetProblem(cause));
      return undefined;
    }
  }

  /** Reports only changes: with a line for each request, anyone could fill the log. */
  function reportChange(entry: Entry, source: KeySource, problem: string | undefined): void {
    const isChange = (entry.problem === undefined) !== (problem === undefined);
    entry.problem = problem;
    if (isChange) ctx.onChange({ source, problem });
  }

  function currentOf(entry: Entry, source: KeySource): Entry["latest"] {
    const ageMs = ageOf(entry);
    if (ageMs >= USABLE_MS) return undefined;
    // No caller waits for this fetch; if it fails, the next caller tries again.
    if (ageMs >= FRESH_MS) fetchOnce(entry, source)?.catch(() => {});
    return entry.latest;
  }

  /** The larger age of both clocks: otherwise a removed key would work longer after a clock was set back. */
  function ageOf({ latest }: Entry): number {
    if (latest === undefined) return Infinity;
    const { wallMs, monotonicMs } = latest.from;
    const ageMs = ctx.clock().getTime() - wallMs;
    return ageMs < 0 ? Infinity : Math.max(ageMs, ctx.monotonicMs() - monotonicMs);
  }

  return {
    current(source) {
      if (source.jwks !== undefined) return undefined;
      const entry = knownEntry(source);
      return entry && currentOf(entry, source)?.keys;
    },
    async use(source, attempt) {
      if (source.jwks !== undefined) return attempt(parseKeySet(source.jwks, REMEMBERS_NOTHING));
      const entry = entryOf(source);
      const cached = currentOf(entry, source);
      if (cached !== undefined) {
        const found = await attempt(cached.keys);
        if (found !== undefined) return found;
        // Another caller may have fetched a newer set meanwhile.
        if (entry.latest !== undefined && entry.latest !== cached) return attempt(entry.latest.keys);
      }
      const flight = fetchOnce(entry, source);
      // No fetch is allowed yet. If the last one succeeded, its result stands.
      if (flight === undefined && cached !== undefined && entry.failedMs === undefined) return undefined;
      const fetched = await flight?.catch(() => undefined);
      if (fetched === undefined) throw new KeysUnavailable(fetchPauseMs(entry, ctx.clock().getTime()));
      return attempt(fetched);
    },
    refetchInBackground(source) {
      if (source.jwks !== undefined) return;
      const entry = knownEntry(source);
      if (entry === undefined || recentStarts(entry, ctx.clock().getTime()).length > 0) return;
      fetchOnce(entry, source)?.catch(() => {});
    },
    async inspect(source) {
      if (source.jwks !== undefined) return inspectGiven(source.jwks, ctx.clock());
      const entry = entryOf(source);
      const isKnown = entry.failedMs === undefined && recentStarts(entry, ctx.clock().getTime()).length > 0;
      await (isKnown ? entry.flight : fetchOnce(entry, source))?.catch(() => {});
      const inUse = ageOf(entry) < USABLE_MS ? entry.latest : undefined;
      return {
        problem: entry.problem,
        inUse: inUse && { fetchedAt: new Date(inUse.from.wallMs), ...(await inUse.keys.report()) },
      };
    },
  };
}

/** Of a set that is given: it is parsed for each token, which is used once. */
const REMEMBERS_NOTHING: VerifiedTokens = { find: () => undefined, add: () => {}, close: () => {} };

async function inspectGiven(jwks: string, now: Date): Promise<KeySetReport> {
  try {
    return { problem: undefined, inUse: { fetchedAt: now, ...(await parseKeySet(jwks, REMEMBERS_NOTHING).report()) } };
  } catch (err) {
    return { problem: keySetProblem(err), inUse: undefined };
  }
}

function forgetTokens({ latest }: Entry): void {
  latest?.keys.verified.close();
}

/** Ms until a fetch may begin. 0: now. */
function fetchPauseMs(entry: Entry, nowMs: number): number {
  const afterFailure = entry.failedMs === undefined ? 0 : leftOf(FAILURE_PAUSE_MS, entry.failedMs, nowMs);
  const starts = recentStarts(entry, nowMs);
  const [earliest] = starts;
  const isFull = earliest !== undefined && starts.length >= FETCHES_MAX;
  return Math.max(afterFailure, isFull ? leftOf(FETCHES_SPAN_MS, earliest, nowMs) : 0);
}

function recentStarts({ startsMs }: Entry, nowMs: number): number[] {
  return startsMs.filter((startMs) => isWithin(FETCHES_SPAN_MS, startMs, nowMs));
}

function leftOf(spanMs: number, sinceMs: number, nowMs: number): number {
  return isWithin(spanMs, sinceMs, nowMs) ? sinceMs + spanMs - nowMs : 0;
}

/** An instant in the future does not count: after a clock is set back, fetches must not stay blocked for hours. */
function isWithin(spanMs: number, sinceMs: number, nowMs: number): boolean {
  return sinceMs <= nowMs && nowMs - sinceMs < spanMs;
}
