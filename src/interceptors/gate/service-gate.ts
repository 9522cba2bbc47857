import type { Authority } from "../../domain/access/authority.ts";
import type { FactSources } from "../../domain/access/decide.ts";
import type { Facts } from "../../domain/access/facts.ts";
import type { MatchSecret } from "../../domain/access/secrets.ts";
import type { ImpersonationRecorder } from "../../domain/audit/audit-trail.ts";
import type { SecretHash } from "../../domain/credentials/key.ts";
import type { ForeignKeys } from "../../domain/key-formats/foreign-keys.ts";
import type { DashboardLimit } from "../../domain/limits/dashboard-user.ts";
import { type Awaitable, after } from "../../domain/vocabulary/awaitable.ts";
import type { Call } from "../call.ts";
import { type AccessTokenContext, loadAccessToken, loadUserOfToken, proveSender } from "./access-token.ts";
import { type DashboardContext, loadDashboardUser } from "./dashboard-user.ts";
import { createGate, type Gate, type GateContext } from "./gate.ts";
import { findKey, given, type KeyContext, loadKey, loadUserOfKey, spendKey } from "./keys.ts";
import { failLookUp } from "./look-up-failure.ts";

type SourcesContext = Omit<KeyContext, "proveSender" | "foreignKeys"> &
  AccessTokenContext &
  DashboardContext & {
    readonly foreignKeys: Pick<ForeignKeys, "hashOf" | "hashOfBearer">;
    readonly authority: Authority;
    readonly matchOperatorToken: MatchSecret;
    /** Called at each use of an operator's token, with its position. */
    readonly onOperatorToken: (position: number, call: Call) => void;
    /** Null: dashboard users have no limit. */
    readonly dashboardLimit: DashboardLimit | null;
    readonly impersonations: Pick<ImpersonationRecorder, "hasRoom">;
  };

export type ServiceGateContext = GateContext & SourcesContext;

/** The gate of the service, for all callers. */
export function createServiceGate(ctx: ServiceGateContext): Gate {
  return createGate(createSources(ctx), ctx);
}

/** The service's own records, providers and limits. */
function createSources(context: SourcesContext): FactSources<Call> {
  const ctx: SourcesContext & KeyContext = {
    ...context,
    proveSender: (facts, text, jkt) => proveSender(context, facts, text, jkt),
  };

  function loadBearer(facts: Facts<Call>, token: string): Awaitable<void> {
    const position = ctx.matchOperatorToken(token);
    if (position === undefined) return loadToken(facts, token, true);
    ctx.onOperatorToken(position, facts.request);
    facts.caller = "operator";
    facts.principal = { kind: "operator", token: position, tenantId: null, rights: ctx.authority.rightsOfOperator };
  }

  function loadToken(facts: Facts<Call>, token: string, mayBeKey: boolean): Awaitable<void> {
    const tokenId = ctx.tokenIssuer?.verify(token);
    if (tokenId !== undefined) return loadAccessToken(ctx, facts, tokenId);
    return mayBeKey ? after(ctx.foreignKeys.hashOfBearer(token), loadBearerKey, facts, failLookUp) : loadUser(facts);
  }

  function loadBearerKey(secretHash: SecretHash | undefined, facts: Facts<Call>): Awaitable<void> {
    if (secretHash === undefined) return loadUser(facts);
    // From now on it is a key as any other, sent without an Authorization.
    const credentials = given(facts);
    facts.credentials = { kind: "api_key", secret: "token" in credentials ? credentials.token : "", authorization: [] };
    return findKey(ctx, facts, secretHash);
  }

  /** Another issuer's token: only dashboard users come with one and without a key. */
  function loadUser(facts: Facts<Call>): void {
    facts.caller = "dashboard_user";
  }

  function loadBoundUser(facts: Facts<Call>, token: string): Promise<void> {
    return loadDashboardUser(ctx, facts, token, (jkt) => ctx.proveSender(facts, token, jkt));
  }

  async function useProof(facts: Facts<Call>, spent: Awaitable<void>): Promise<void> {
    await spent;
    if (facts.limit?.kind !== "deny") await facts.proof?.use().catch(failLookUp);
  }

  function spend(facts: Facts<Call>): Awaitable<void> {
    const { presented, principal } = facts;
    if (presented !== undefined) return spendKey(ctx, facts);
    if (principal?.kind !== "dashboard_user" || ctx.dashboardLimit === null) return undefined;
    return spendOfUser(ctx.dashboardLimit, facts, principal);
  }

  return {
    rolesWith: ctx.authority.rolesWith,
    loadRecord(facts) {
      const credentials = given(facts);
      switch (credentials.kind) {
        case "api_key":
          return loadKey(ctx, facts, credentials.secret);
        case "user_token":
          return loadBearer(facts, credentials.token);
        case "bound_token":
          return loadToken(facts, credentials.token, false);
        default:
          return credentials satisfies never;
      }
    },
    loadUser(facts) {
      const credentials = given(facts);
      if (facts.caller === "operator") return undefined;
      if (credentials.kind === "api_key") return loadUserOfKey(ctx, facts);
      const { token, kind } = credentials;
      if (facts.isToken) return loadUserOfToken(ctx, facts, token, kind === "bound_token");
      return kind === "bound_token" ? loadBoundUser(facts, token) : loadDashboardUser(ctx, facts, token);
    },
    spend: (facts) => (facts.proof === undefined ? spend(facts) : useProof(facts, spend(facts))),
    hasRoom: (at, caller) => ctx.impersonations.hasRoom(at, caller),
  };
}

/** Spends a request of a dashboard user, who has no key. Their limit is reported only where it is exceeded: no other answer shows it. */
async function spendOfUser(limit: DashboardLimit, facts: Facts, user: Parameters<DashboardLimit>[0]): Promise<void> {
  const decision = await limit(user);
  if (decision.kind === "deny") facts.limit = decision;
}
