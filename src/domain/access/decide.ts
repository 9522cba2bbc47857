import { UNNAMED_WAIT_SECONDS, unnamedCall } from "../audit/waiting-impersonations.ts";
import { exhausted, waiting } from "../limits/budget.ts";
import type { Awaitable } from "../vocabulary/awaitable.ts";
import { Denial } from "../vocabulary/denial.ts";
import { CHECKS, type CheckName, type CheckRules, checkOf, type NamedCheck, type Stage } from "./checks.ts";
import { credentialsIn } from "./credentials.ts";
import type { CallerRequest, Facts, Verdict } from "./facts.ts";
import { checkImpersonation, impersonate } from "./impersonation.ts";
import type { SecretKeyCaller } from "./principal.ts";

/**
 * Where the facts of a call come from, and what it spends: a service, an edge and a sidecar have each their own. Each fills in what its
 * stage needs, and returns a promise only if it has to fetch something. Each may throw a `Denial`, such as `verifier_error`.
 */
export interface FactSources<Request extends CallerRequest = CallerRequest> extends CheckRules {
  /** Finds the key, or the token that stands for one; or says that the caller comes with a user's token. */
  loadRecord(facts: Facts<Request>): Awaitable<void>;
  /** Verifies the user's token, and finds what the user may do. Authenticates the caller. */
  loadUser(facts: Facts<Request>): Awaitable<void>;
  /** Spends a request. It stays spent, whatever the next checks decide. Then a proof is used up: a denied call stores nothing. */
  spend(facts: Facts<Request>): Awaitable<void>;
  /** Whether the audit trail can name the user for whom this caller calls. */
  hasRoom(at: Date, caller: SecretKeyCaller): boolean;
}

/** Decides a call by `CHECKS`, and loads what they need as far as it comes. Never throws. */
export function decide<Request extends CallerRequest>(
  sources: FactSources<Request>,
  facts: Facts<Request>,
): Awaitable<Verdict> {
  try {
    facts.credentials = credentialsIn(facts.request.credentials);
    const verdict = refused("headers", sources, facts) ?? go(sources.loadRecord(facts), withRecord, sources, facts);
    return verdict instanceof Promise ? caught(verdict, facts) : verdict;
  } catch (err) {
    return stopped(facts, err);
  }
}

function caught(verdict: Promise<Verdict>, facts: Facts): Promise<Verdict> {
  return verdict.catch((err: unknown) => stopped(facts, err));
}

/** Goes on without a promise where nothing had to be fetched. */
function go<Request extends CallerRequest>(
  loading: Awaitable<void>,
  next: (sources: FactSources<Request>, facts: Facts<Request>) => Awaitable<Verdict>,
  sources: FactSources<Request>,
  facts: Facts<Request>,
): Awaitable<Verdict> {
  return loading instanceof Promise ? goLater(loading, next, sources, facts) : next(sources, facts);
}

function goLater<Request extends CallerRequest>(
  loading: Promise<void>,
  next: (sources: FactSources<Request>, facts: Facts<Request>) => Awaitable<Verdict>,
  sources: FactSources<Request>,
  facts: Facts<Request>,
): Promise<Verdict> {
  return loading.then(() => next(sources, facts));
}

function withRecord<Request extends CallerRequest>(
  sources: FactSources<Request>,
  facts: Facts<Request>,
): Awaitable<Verdict> {
  return refused("record", sources, facts) ?? go(sources.loadUser(facts), withUser, sources, facts);
}

function withUser<Request extends CallerRequest>(
  sources: FactSources<Request>,
  facts: Facts<Request>,
): Awaitable<Verdict> {
  return refused("user", sources, facts) ?? go(sources.spend(facts), withLimit, sources, facts);
}

type Named = CheckRules & Pick<FactSources, "hasRoom">;

function withLimit(sources: Named, facts: Facts<CallerRequest>): Verdict {
  return refused("limit", sources, facts) ?? withRights(sources, facts);
}

function withRights(sources: Named, facts: Facts<CallerRequest>): Verdict {
  const { principal, request } = facts;
  if (principal === undefined) throw new Error("the caller was not authenticated");
  facts.impersonation ??= checkImpersonation(principal, request.credentials.onBehalfOf);
  const denied = refused("rights", sources, facts);
  if (denied !== undefined) return denied;
  facts.principal = impersonate(facts.impersonation);
  return unnamed(sources, facts) ?? verdictOf(facts, undefined, undefined);
}

/** A call for a user must be one that the audit trail can name: else a caller could hide one among invented users. */
function unnamed(sources: Named, facts: Facts): Verdict | undefined {
  const { principal, presented, limit } = facts;
  if (principal?.kind !== "secret_key" || principal.onBehalfOf === null || presented === undefined) return undefined;
  if (sources.hasRoom(presented.at, principal)) return undefined;
  facts.limit = waiting(limit ?? exhausted(presented.at), presented.at, UNNAMED_WAIT_SECONDS);
  return verdictOf(facts, unnamedCall(), "rate_limit");
}

function refused(stage: Stage, rules: CheckRules, facts: Facts): Verdict | undefined {
  const checks = BY_STAGE[stage];
  // By index: an iterator would be one more object for each stage of each call.
  for (let n = 0; n < checks.length; n++) {
    const check = checks[n];
    if (check === undefined || !check.applies(facts)) continue;
    const denial = check.run(facts, rules);
    if (denial !== undefined) return verdictOf(facts, denial, check.name);
  }
  return undefined;
}

const BY_STAGE = {
  headers: checksAt("headers"),
  record: checksAt("record"),
  user: checksAt("user"),
  limit: checksAt("limit"),
  rights: checksAt("rights"),
} satisfies Record<Stage, unknown>;

function checksAt(stage: Stage): readonly NamedCheck[] {
  return CHECKS.filter(({ needs }) => needs === stage);
}

/** The verdict on a call whose facts could not all be loaded, or whose header is faulty. */
function stopped(facts: Facts, err: unknown): Verdict {
  return verdictOf(facts, err, err instanceof Denial ? checkOf(err.reason, facts.caller) : undefined);
}

function verdictOf(facts: Facts, refusal: unknown, failedCheck: CheckName | undefined): Verdict {
  facts.outcome = refusal === undefined ? "admitted" : "refused";
  facts.refusal = refusal;
  facts.failedCheck = failedCheck;
  return facts;
}
