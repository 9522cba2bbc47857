import { deniedByKey, tokenRefusal } from "../access-tokens/token-refusal.ts";
import { fenceDenial, fenceRequirements } from "../credentials/fence.ts";
import { refusalOf } from "../credentials/status.ts";
import { Denial, type DenialReason, type SpecificReason } from "../vocabulary/denial.ts";
import { authorize, type RolesWith, tokenDenial } from "./authorize.ts";
import type { Facts } from "./facts.ts";
import { foundKeySet, foundLimit, foundScope, type LookedUp } from "./found.ts";
import { limitDenial } from "./limit-denial.ts";
import type { CallerKind } from "./principal.ts";

/** What must be loaded before a check, in this order: see `decide.ts`. */
export type Stage = "headers" | "record" | "user" | "limit" | "rights";

/** Whose calls a check is about, as far as it is known. */
export type Concerned = Pick<Facts, "caller" | "isToken">;

/** What the checks know beside a call. */
export interface CheckRules {
  readonly rolesWith: RolesWith;
}

export interface Check {
  readonly name: string;
  readonly needs: Stage;
  readonly applies: (of: Concerned) => boolean;
  /** Pure, and silent about what is not known. Throws `RequestFault` for a malformed header. */
  readonly run: (facts: Facts, rules: CheckRules) => Denial | undefined;
  /** The reasons of its denials, and of those that loading for it comes to. */
  readonly reasons: readonly DenialReason[];
  /** The reason that says more than that of its denials, which another check has, too. */
  readonly specific?: SpecificReason;
  /** The sentence about a request that passed it. */
  readonly passed: string;
  /** What it checks, in a table of the documentation. */
  readonly about: string;
  /** The sentences about a key before any request, whether it passes or not. Empty: it says nothing. */
  readonly found?: (facts: Facts, looked: LookedUp) => string;
  /** Set for the check that is asked once for each scope. */
  readonly isOfScope?: true;
}

const isKey = ({ caller }: Concerned): boolean => caller === "secret_key" || caller === "publishable_key";
const isKnown = ({ caller }: Concerned): boolean => caller !== null;
const hasUser = ({ caller }: Concerned): boolean => caller !== null && caller !== "secret_key";

const TABLE = [
  {
    name: "credentials",
    needs: "headers",
    applies: () => true,
    run: ({ credentials }) => (credentials instanceof Denial ? credentials : undefined),
    reasons: ["missing_credentials", "api_key_invalid"],
    passed: "The credentials were there, each once.",
    about: "one well-formed key or token",
  },
  {
    name: "key",
    needs: "record",
    applies: (of) => of.caller === null || isKey(of),
    run: ({ caller }) => (caller === null ? new Denial("api_key_not_found") : undefined),
    reasons: ["api_key_not_found"],
    passed: "The key was known.",
    about: "the key exists",
  },
  {
    name: "status",
    needs: "record",
    applies: isKey,
    run: keyRefusal,
    reasons: ["api_key_expired", "api_key_disabled", "api_key_revoked", "token_revoked"],
    found: ({ presented }) => (presented && refusalOf(presented)?.message) ?? "The key is active.",
    passed: "The key was active, and its tenant not suspended.",
    about: "it is active, its tenant not suspended",
  },
  {
    name: "source",
    needs: "record",
    applies: isKey,
    run: sourceRefusal,
    reasons: ["origin_not_allowed"],
    // Whether a request comes from there is known only with it.
    found: ({ presented }) => (presented === undefined ? "" : fenceRequirements(presented.key)),
    passed: "The key may be used from there.",
    about: "it [may be used from there](fenced-keys.md)",
  },
  {
    name: "oidc",
    needs: "user",
    applies: hasUser,
    run: ({ userRefusal }) => userRefusal,
    reasons: [
      ...(["publishable_key_requires_jwt", "jwt_expired", "jwt_malformed", "jwt_invalid_signature"] as const),
      ...(["jwt_invalid_issuer", "jwt_invalid_audience", "user_id_claim_not_found"] as const),
      ...(["misconfigured_publishable_key", "oidc_not_configured", "verifier_error"] as const),
    ],
    found: foundKeySet,
    passed: "The user's token was valid.",
    about: "the user's token is valid",
  },
  {
    name: "status",
    needs: "user",
    applies: (of) => isKnown(of) && !isKey(of),
    run: ({ tenantRefusal }) => tenantRefusal,
    reasons: ["tenant_suspended"],
    passed: "The tenant was not suspended.",
    about: "the user's tenant is not suspended",
  },
  {
    name: "rate_limit",
    needs: "limit",
    applies: isKnown,
    run: limitDenial,
    reasons: ["rate_limited"],
    found: foundLimit,
    passed: "The limits admitted the request.",
    about: "the [limits](limits.md) admit it",
  },
  {
    name: "token",
    needs: "rights",
    applies: ({ isToken }) => isToken,
    run: ({ policy }) => tokenDenial(policy),
    reasons: [],
    specific: "token_not_allowed",
    passed: "A token may call this.",
    about: "a token may call this",
  },
  {
    name: "scope",
    needs: "rights",
    applies: isKnown,
    run: rightsRefusal,
    reasons: ["insufficient_scope", "tenant_required"],
    found: foundScope,
    isOfScope: true,
    passed: "The caller may do this.",
    about: "the caller may do this, and has a tenant",
  },
] as const satisfies readonly Check[];

export type CheckName = (typeof TABLE)[number]["name"];

export interface NamedCheck extends Check {
  readonly name: CheckName;
}

/**
 * The order of checks, for every call and over every protocol. A call that breaks several rules is answered for the first. `decide.ts`
 * runs them, and loads what each needs; explanations list them. An RPC that is open to anyone has none of them.
 *
 * The body and the message come after them (`interceptors/gate/gate.ts`).
 */
export const CHECKS: readonly NamedCheck[] = TABLE;

/** The check of a denial that no check has made: loading came to it, or an RPC, or only its reason was stored. */
export function checkOf(reason: DenialReason, caller: CallerKind | null): CheckName {
  // A look-up of the key and one of a provider fail with the same reason.
  if (reason === "verifier_error" && caller === null) return "key";
  const found = CHECKS.find(({ reasons }) => reasons.includes(reason));
  if (found === undefined) throw new Error(`no check has the reason ${reason}`);
  return found.name;
}

function keyRefusal({ isToken, token, presented }: Facts): Denial | undefined {
  if (isToken) {
    const refusal = tokenRefusal(token, presented);
    if (refusal !== null) return refusal;
  }
  return presented && ofKey(isToken, refusalOf(presented));
}

function sourceRefusal({ isToken, presented, request }: Facts): Denial | undefined {
  return presented && request && ofKey(isToken, fenceDenial(presented.key, request));
}

function ofKey(isToken: boolean, denial: Denial | null): Denial | undefined {
  if (denial === null) return undefined;
  return isToken ? deniedByKey(denial) : denial;
}

/** `impersonation` has the header that was sent. */
const NONE: readonly string[] = [];

function rightsRefusal({ principal, policy, impersonation }: Facts, { rolesWith }: CheckRules): Denial | undefined {
  if (principal === undefined) return undefined;
  try {
    authorize(principal, policy, NONE, rolesWith, impersonation);
    return undefined;
  } catch (err) {
    if (err instanceof Denial) return err;
    throw err;
  }
}
