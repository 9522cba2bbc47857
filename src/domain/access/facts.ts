import type { FoundAccessToken } from "../access-tokens/access-token-store.ts";
import type { CheckedProof } from "../access-tokens/proof.ts";
import type { RequestSource } from "../credentials/fence.ts";
import type { LimitState } from "../limits/decision.ts";
import type { Denial } from "../vocabulary/denial.ts";
import type { PresentedKey } from "./admission.ts";
import type { CheckName } from "./checks.ts";
import type { CredentialHeaders, Credentials } from "./credentials.ts";
import type { Impersonation } from "./impersonation.ts";
import type { Policy } from "./policy.ts";
import type { CallerKind, Principal } from "./principal.ts";

/** What a request says about its caller, and where it comes from. */
export interface CallerRequest extends RequestSource {
  readonly credentials: CredentialHeaders;
}

/** The limit of a call's caller after the call. With the seconds to wait if the call was denied for it. */
export type ReportedLimit = LimitState & {
  readonly kind?: "allow" | "deny";
  readonly retryAfterSeconds?: number | undefined;
};

/** What was decided about a call. Before that, as much as is known of it. */
export interface Verdict {
  /** `unchecked`: nothing is decided yet, or its path has no checks and its key was looked up only to report its limit. */
  readonly outcome: "admitted" | "refused" | "unchecked";
  /** Why it is refused: a `Denial`, a `RequestFault`, or what kept it from being decided. Undefined: it is not. */
  readonly refusal: unknown;
  /** The check that refused it. Undefined: it is not refused, or a fault or an outage ended the checks. */
  readonly failedCheck: CheckName | undefined;
  /** Null: not known. */
  readonly caller: CallerKind | null;
  /** The caller, as soon as it is authenticated: also of a call that is refused later. Of an admitted call, with the user it acts for. */
  readonly principal: Principal | undefined;
  /** The key, usable or not. Undefined: none was sent, or it is unknown. */
  readonly presented: PresentedKey | undefined;
  /** The id of the service's own token that was sent in place of the key, whatever its state. */
  readonly tokenId: string | undefined;
  /** Undefined: the caller has none, or nothing was spent. */
  readonly limit: ReportedLimit | undefined;
}

/** Nothing is decided, and nothing is known. */
export const UNCHECKED: Verdict = {
  ...{ outcome: "unchecked", refusal: undefined, failedCheck: undefined, caller: null },
  ...{ principal: undefined, presented: undefined, tokenId: undefined, limit: undefined },
};

/**
 * What the checks of a call look at: its request and policy, and what was found. Loaded in stages (`decide.ts`); undefined until then.
 * It becomes the verdict: an object of its own would be one more for each call. All members are there from the start, because each that
 * is added later would change the shape of the object.
 */
export class Facts<Request extends CallerRequest | undefined = CallerRequest | undefined> implements Verdict {
  /** Undefined: what a key may do is explained without a request. */
  readonly request: Request;
  readonly policy: Policy;
  /** What the headers hold, or why they hold nothing that can be checked. */
  credentials: Credentials | Denial | undefined = undefined;
  caller: CallerKind | null = null;
  presented: PresentedKey | undefined = undefined;
  /** Whether an access token was sent in place of the key. */
  isToken = false;
  token: FoundAccessToken | undefined = undefined;
  /** Why no user's token can be verified, where none was sent. Where one was, loading it throws the denial. */
  userRefusal: Denial | undefined = undefined;
  /** Why a dashboard user may not call for the tenant. */
  tenantRefusal: Denial | undefined = undefined;
  principal: Principal | undefined = undefined;
  /** Used up once the limit admits the call. */
  proof: CheckedProof | undefined = undefined;
  /** What `X-On-Behalf-Of` comes to. Undefined: not looked at yet. */
  impersonation: Impersonation | undefined = undefined;
  /** As how many requests the call counts. */
  cost = 1;
  limit: ReportedLimit | undefined = undefined;
  outcome: Verdict["outcome"] = "unchecked";
  refusal: unknown = undefined;
  failedCheck: CheckName | undefined = undefined;

  constructor(request: Request, policy: Policy) {
    this.request = request;
    this.policy = policy;
  }

  get tokenId(): string | undefined {
    return this.token?.token.tokenId;
  }
}
