import { DENIALS, Denial, type DenialReason } from "../vocabulary/denial.ts";

/** Denials of a good token that was checked with another configuration than its sender meant. */
const OF_CONFIGURATION: ReadonlySet<DenialReason> = new Set([
  "jwt_invalid_signature",
  "jwt_invalid_issuer",
  "jwt_invalid_audience",
]);
/** Most such tokens belong to an app's user, and the publishable key was left out. */
const FOR_APPS = "for an app's user, send the publishable key in X-API-Key, too.";
const DASHBOARD = `It came without X-API-Key and was checked as a dashboard user's: ${FOR_APPS}`;
const KEY = "It was checked with publishableConfig.oidc of the key in X-API-Key.";

/** The same error, whose message says that the token was checked as a dashboard user's where that may be the mistake. */
export function checkedByDashboard(err: unknown): unknown {
  return withSentence(err, DASHBOARD);
}

/** The same error, whose message says that the key's configuration checked the token where that may be the mistake. */
export function checkedByKey(err: unknown): unknown {
  return withSentence(err, KEY);
}

/** The denial of a user's token without a key where no dashboard user, or none without a tenant, can call. */
export function withoutKey(reason: "oidc_not_configured" | "tenant_required"): Denial {
  return new Denial(reason, { message: `${DENIALS[reason].sentence} The token came without X-API-Key: ${FOR_APPS}` });
}

function withSentence(err: unknown, sentence: string): unknown {
  if (!(err instanceof Denial) || !OF_CONFIGURATION.has(err.reason)) return err;
  return new Denial(err.reason, { message: `${err.message} ${sentence}`, cause: err.cause });
}
