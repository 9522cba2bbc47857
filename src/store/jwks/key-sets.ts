import type { JwksOwner, KeySource } from "../../domain/identity/claims.ts";
import type { KeySetReport } from "../../domain/identity/key-set-report.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import { type KeySet, parseKeySet } from "./key-set.ts";
import { keySetProblem } from "./key-set-problem.ts";
import { FetchesExhausted } from "./safe-fetch.ts";
import { createSharedCache, type SharedCache } from "./shared-cache.ts";
import type { VerifiedTokens } from "./verified-tokens.ts";

/**
 * The key sets of all providers, fetched when needed.
 *
 * Not jose's `createRemoteJWKSet`: it does not remember failures (each caller of a dead provider would wait for a fetch
 * of their own), serves nothing while the provider is down, reads without a size limit, and keeps its own time.
 */
export interface KeySets {
  /** The provider's keys, if they are there and may be used; aged ones are fetched anew in the background. */
  current(source: KeySource): KeySet | undefined;
  /** Whether they are there and need not be fetched anew yet. Asks nobody. */
  isFresh(source: KeySource): boolean;
  /**
   * Runs `attempt` on the provider's keys, and once more on newer ones if it finds nothing and newer ones can be had:
   * that is how a rotation is noticed. Answers undefined if it still finds nothing. A caller waits for one fetch at most,
   * so for 5 s. Throws `KeysUnavailable`.
   */
  use<T>(source: KeySource, attempt: (keys: KeySet) => T | undefined | Promise<T | undefined>): Promise<T | undefined>;
  /**
   * To be called for a token that the key of its `kid` did not sign: another key may be published under this id by now.
   * Fetches in the background, once in `FETCHES_SPAN_MS` at most: that leaves a fetch for ids that are new, however many
   * forged tokens come.
   */
  refetchInBackground(source: KeySource): void;
  /**
   * What is at the provider, for those who configured it. Fetches, but not a set that was fetched within
   * `FETCHES_SPAN_MS`: that leaves a fetch for ids that are new, however often this is asked.
   */
  inspect(source: KeySource): Promise<KeySetReport>;
}

/** A set that could not be fetched any more, or can be again. */
export interface KeySetChange {
  readonly source: KeySource;
  /** `keySetProblem`. Undefined: it can be fetched again. */
  readonly problem: string | undefined;
}

/** The provider cannot be asked, and what it last said does not answer the question. Why, `onChange` was told. */
export class KeysUnavailable extends Error {
  override readonly name = "KeysUnavailable";
  /** Ms until the provider is asked again. The same for whatever is wrong, or a tenant could find out about our network by it. */
  readonly retryAfterMs: number;

  constructor(retryAfterMs: number) {
    super("no current key set");
    this.retryAfterMs = retryAfterMs;
  }
}

/**
 * Sets of tenants kept, and apart from them of the operator: of more, the one used longest ago is forgotten and fetched
 * anew when it is next needed. A usual set takes 20 KB, the largest one 6 MB.
 */
const BOUNDS = {
  tenant: { all: { count: 1_000, bytes: 64_000_000 }, share: { count: 250, bytes: 16_000_000 } },
  operator: { all: { count: 10, bytes: 64_000_000 }, share: { count: 10, bytes: 64_000_000 } },
};
/** What a set is counted as before it is fetched. */
const ENTRY_BYTES = 4_000;
/** Age from which on a set is fetched again, in the background while the old one still serves. */
const FRESH_MS = 300_000;
/**
 * Age from which on a set is not used any more, whatever the provider's state. Counted from the start of its fetch: a key
 * that was removed since then stops working within this time.
 */
const USABLE_MS = 600_000;
/** Pause after a failed fetch; callers are answered at once meanwhile. After a second one the span below is the pause. */
const FAILURE_PAUSE_MS = 5_000;
/**
 * Fetches that begin in any such span. Tokens with invented key ids are free to make, so they must not become requests to
 * the provider; a real rotation is followed within the span.
 */
const FETCHES_MAX = 2;
const FETCHES_SPAN_MS = 30_000;

interface Entry {
  /** The tenant who asked for it first, in whose share of the cache it is. */
  readonly account: string;
  bytes: number;
  latest: { readonly keys: KeySet; readonly from: Instant } | undefined;
  /** When the last fetch ended, if it failed. */
  failedMs: number | undefined;
  /** Why none succeeds, as `onChange` was told. */
  problem: string | undefined;
  /** When the latest fetches began, newest last; at most `FETCHES_MAX`. */
  startsMs: readonly number[];
  /** The fetch under way; everyone who needs it waits for this one. Undefined: it failed. Rejects if it was never made. */
  flight: Promise<KeySet | undefined> | undefined;
}

/** The first of these clocks can be set back; the second one cannot, but may stand still while the machine sleeps. */
interface Instant {
  readonly wallMs: number;
  readonly monotonicMs: number;
}

export function createKeySets(ctx: {
  readonly clock: Clock;
  /** Milliseconds of a clock that is never set back. */
  readonly monotonicMs: () => number;
  readonly fetchText: (url: string, owner: JwksOwner) => Promise<string>;
  /** Opens the memory of a new set. */
  readonly verifiedTokens: () => VerifiedTokens;
  /** Called once for each change between failing and not. */
  readonly onChange: (change: KeySetChange) => void;
}): KeySets {
  // By kind of owner: what was fetched under one's rules is not the other's. Not by issuer: the claim is judged for each
  // token, and many issuers of one provider, with one document, must not multiply its fetches.
  const entriesOf: Record<JwksOwner["kind"], SharedCache<Entry>> = {
    tenant: createSharedCache(BOUNDS.tenant, forgetTokens),
    operator: createSharedCache(BOUNDS.operator, forgetTokens),
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

  /** The fetch under way or a new one; undefined if none may begin now. */
  function fetchOnce(entry: Entry, source: KeySource): Entry["flight"] {
    const nowMs = ctx.clock().getTime();
    if (entry.flight === undefined && fetchPauseMs(entry, nowMs) === 0) {
      const { startsMs } = entry;
      entry.startsMs = [...startsMs, nowMs].slice(-FETCHES_MAX);
      entry.flight = fetchKeys(entry, source, { wallMs: nowMs, monotonicMs: ctx.monotonicMs() })
        .catch((err: unknown) => {
          // Nobody was asked: another tenant with the same provider, who may have room, must be able to ask at once.
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
    try {
      const text = await ctx.fetchText(source.jwksUrl, source.jwksOwner);
      const keys = parseKeySet(text, ctx.verifiedTokens());
      forgetTokens(entry);
      entry.latest = { keys, from };
      entry.failedMs = undefined;
      reportChange(entry, source, undefined);
      entry.bytes = ENTRY_BYTES + keys.bytes;
      entriesOf[source.jwksOwner.kind].bound(entry.account);
      return keys;
    } catch (cause) {
      if (cause instanceof FetchesExhausted) throw cause;
      entry.failedMs = ctx.clock().getTime();
      reportChange(entry, source, keySetProblem(cause));
      return undefined;
    }
  }

  /** A line for each request would be anybody's way to fill the log. */
  function reportChange(entry: Entry, source: KeySource, problem: string | undefined): void {
    const isChange = (entry.problem === undefined) !== (problem === undefined);
    entry.problem = problem;
    if (isChange) ctx.onChange({ source, problem });
  }

  function currentOf(entry: Entry, source: KeySource): Entry["latest"] {
    const ageMs = ageOf(entry);
    if (ageMs >= USABLE_MS) return undefined;
    // Nobody waits for it: the next one to come tries again.
    if (ageMs >= FRESH_MS) fetchOnce(entry, source)?.catch(() => {});
    return entry.latest;
  }

  /** By the clock that says more: else a key that was removed would work for as long as a clock was set back. */
  function ageOf({ latest }: Entry): number {
    if (latest === undefined) return Infinity;
    const { wallMs, monotonicMs } = latest.from;
    const ageMs = ctx.clock().getTime() - wallMs;
    return ageMs < 0 ? Infinity : Math.max(ageMs, ctx.monotonicMs() - monotonicMs);
  }

  return {
    current(source) {
      const entry = knownEntry(source);
      return entry && currentOf(entry, source)?.keys;
    },
    isFresh(source) {
      const entry = knownEntry(source);
      return entry !== undefined && ageOf(entry) < FRESH_MS;
    },
    async use(source, attempt) {
      const entry = entryOf(source);
      const cached = currentOf(entry, source);
      if (cached !== undefined) {
        const found = await attempt(cached.keys);
        if (found !== undefined) return found;
        // Another caller may have fetched meanwhile.
        if (entry.latest !== undefined && entry.latest !== cached) return attempt(entry.latest.keys);
      }
      const flight = fetchOnce(entry, source);
      // No fetch is allowed yet. If the last one succeeded, its verdict stands.
      if (flight === undefined && cached !== undefined && entry.failedMs === undefined) return undefined;
      const fetched = await flight?.catch(() => undefined);
      if (fetched === undefined) throw new KeysUnavailable(fetchPauseMs(entry, ctx.clock().getTime()));
      return attempt(fetched);
    },
    refetchInBackground(source) {
      const entry = knownEntry(source);
      if (entry === undefined || recentStarts(entry, ctx.clock().getTime()).length > 0) return;
      fetchOnce(entry, source)?.catch(() => {});
    },
    async inspect(source) {
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

function forgetTokens({ latest }: Entry): void {
  latest?.keys.verified.close();
}

/** Ms until a fetch may begin; 0: now. */
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

/** A future instant is not within: after a clock is set back, nothing must stay forbidden for hours. */
function isWithin(spanMs: number, sinceMs: number, nowMs: number): boolean {
  return sinceMs <= nowMs && nowMs - sinceMs < spanMs;
}
