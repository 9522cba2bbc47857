import type { MatchSecret } from "../../domain/access/secrets.ts";
import {
  HOOK_DIALECTS,
  type HookClaims,
  type HookDialect,
  hookUser,
  OWN_DIALECT,
} from "../../domain/orgs/hook-dialects.ts";
import type { Memberships } from "../../domain/orgs/org-store.ts";
import { type UserState, userStateOf } from "../../domain/orgs/user-state.ts";
import { isSigned } from "../../domain/signatures/webhook-signature.ts";
import type { Clock } from "../../domain/vocabulary/clock.ts";
import { Denial } from "../../domain/vocabulary/denial.ts";
import { invalid, quotable, RequestFault } from "../../domain/vocabulary/request-fault.ts";
import type { Call } from "../../interceptors/call.ts";
import type { PlainAnswer } from "../answer/plain-answer.ts";
import { PlainHeaders } from "../answer/plain-headers.ts";
import { limitForeignJson } from "../request/body-structure.ts";
import type { Incoming } from "../request/exchange.ts";

export interface IdentityClaimsContext {
  /** Read at each call, in one indexed read. */
  readonly memberships: Memberships;
  /** Issuer of users whose hook names none. */
  readonly issuer: string;
  readonly matchSecret: MatchSecret;
  /** The same secrets, for signatures. Read at each call. */
  readonly secrets: () => readonly string[];
  readonly clock: Clock;
}

/**
 * `POST /api/v1/identity/claims`: a provider's login hook asks which tenant and roles a user's token gets. With
 * `?dialect=okta` and so on requests and responses have the form of that provider's hooks.
 *
 * A user without a tenant is a 200, since a provider would take an error for an outage and refuse the sign-in. Users are
 * looked up by their id, never by an email address, which anyone may claim. It is not an RPC, since the providers decide what
 * its messages are.
 */
export async function answerIdentityClaims(
  ctx: IdentityClaimsContext,
  req: Incoming,
  call: Call,
  body: Uint8Array,
): Promise<PlainAnswer> {
  requireHook(ctx, req, call, body);
  const dialect = dialectIn(req.url ?? "");
  const request = parseJson(body);
  const { userId, issuer = ctx.issuer } = hookUser(dialect ?? OWN_DIALECT, request);
  const state = userStateOf(await ctx.memberships.findMemberships(userId), issuer);
  const answer = dialect === undefined ? ownAnswer(state) : dialect.answer(request, claimsOf(state));
  if (answer === undefined) return { status: 204, code: "ok", headers: new PlainHeaders(), body: "" };
  const headers = new PlainHeaders({ "content-type": "application/json" });
  return { status: 200, code: "ok", headers, body: JSON.stringify(answer) };
}

function claimsOf({ memberships }: UserState): HookClaims {
  const current = memberships.find(({ isCurrent }) => isCurrent);
  return { tenant_id: current?.tenantId ?? "", roles: current === undefined ? [] : [current.role] };
}

function ownAnswer(state: UserState) {
  const tenants = state.memberships.map(({ tenantId, name, role }) => ({ tenant_id: tenantId, name, roles: [role] }));
  return { ...claimsOf(state), tenants };
}

/** Okta sends its header as it was typed in, without a scheme. */
function requireHook(
  { matchSecret, secrets, clock }: IdentityClaimsContext,
  req: Incoming,
  call: Call,
  body: Uint8Array,
) {
  const [authorization = "", another] = call.credentials.authorization;
  const secret = authorization.replace(/^bearer[ \t]+/i, "");
  if (another === undefined && secret !== "" && matchSecret(secret) !== undefined) return;
  const names = ["webhook-id", "webhook-timestamp", "webhook-signature", "zitadel-signature"];
  const signature = Object.fromEntries(names.map((name) => [name, oneOf(req.headers[name])]));
  if (isSigned(secrets(), signature, body, clock())) return;
  throw new Denial("missing_credentials", {
    message:
      "The request neither carries IDENTITY_HOOK_SECRET in Authorization: Bearer <secret> nor is signed with it in the last 5 minutes; set the secret at the identity provider.",
  });
}

function oneOf(value: string | string[] | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function dialectIn(url: string): HookDialect | undefined {
  const asked = new URLSearchParams(url.split("?").slice(1).join("?"));
  const known = Object.keys(HOOK_DIALECTS);
  for (const name of asked.keys()) {
    if (name !== "dialect")
      throw new RequestFault(
        "unknown_member",
        `query: has the unknown parameter "${quotable(name)}"; it takes dialect`,
      );
  }
  const name = asked.get("dialect");
  if (name === null) return undefined;
  const found = Object.entries<HookDialect>(HOOK_DIALECTS).find(([each]) => each === name);
  if (found === undefined) throw invalid("dialect", `"${quotable(name)}" must be one of ${known.join(", ")}`);
  return found[1];
}

function parseJson(body: Uint8Array): Readonly<Record<string, unknown>> {
  limitForeignJson(body);
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    throw new RequestFault("malformed_body", "body: must be a JSON object in UTF-8");
  }
}
