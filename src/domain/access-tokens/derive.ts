import type { Catalogue } from "../access/catalogue.ts";
import { isUserId, MAY_IMPERSONATE } from "../access/impersonation.ts";
import type { Principal, SecretKeyCaller } from "../access/principal.ts";
import { mayUse } from "../access/scopes.ts";
import type { Act } from "../audit/event.ts";
import { type IdempotentCall, idempotentCall } from "../idempotency/idempotent-call.ts";
import { type IdempotencyContext, idempotently } from "../idempotency/idempotently.ts";
import type { KeyStore } from "../keys/key-store.ts";
import { checkedPermissions } from "../keys/rules.ts";
import { isIdentifier } from "../tokens/identifier-claim.ts";
import { Denial } from "../vocabulary/denial.ts";
import { invalid } from "../vocabulary/request-fault.ts";
import type { AccessTokenStore } from "./access-token-store.ts";
import { requireConfigured } from "./configured.ts";
import { type IssueContext, type IssuedToken, issueToken } from "./issue.ts";
import type { AccessTokenIssuer } from "./issuer.ts";
import { tokenNotFound } from "./own-tokens.ts";

const TTL_SECONDS_DEFAULT = 900;

/** A token to derive, as the caller describes it. Absent members and 0 stand for the defaults. */
export interface DeriveCommand {
  readonly scopes: readonly string[];
  readonly ttlSeconds: number;
  readonly userId?: string | undefined;
  readonly audience?: string | undefined;
  readonly confirmationJkt?: string | undefined;
}

export interface DeriveContext extends Omit<IssueContext, "issuer"> {
  /** Undefined: the service issues no tokens. */
  readonly issuer: Pick<AccessTokenIssuer, "issuer" | "sign"> | undefined;
  readonly keys: Pick<KeyStore, "findSecretHash">;
  readonly catalogue: Catalogue;
}

/** A token that an earlier call has made. Its text is not stored: it is lost if that call's answer was. */
export interface RepeatedToken extends Omit<IssuedToken, "token"> {
  readonly token: null;
}

/** As `deriveToken`; with `clientRequestId` a repeated call returns the first one's token. */
export function deriveTokenIdempotently(
  ctx: DeriveContext & IdempotencyContext & { readonly accessTokens: Pick<AccessTokenStore, "findToken"> },
  caller: Principal,
  command: DeriveCommand,
  clientRequestId: string,
  act: Act,
): Promise<IssuedToken | RepeatedToken> {
  if (caller.kind !== "secret_key") throw new Error("the policy of DeriveToken admits only secret keys");
  const call = idempotentCall(clientRequestId, caller.tenantId, act, "deriveToken", {
    scopes: command.scopes,
    ttlSeconds: command.ttlSeconds || TTL_SECONDS_DEFAULT,
    userId: command.userId ?? caller.onBehalfOf,
    audience: command.audience ?? ctx.issuer?.issuer,
    confirmationJkt: command.confirmationJkt,
  });
  return idempotently(
    ctx,
    call,
    () => deriveToken(ctx, caller, command, act, call),
    async (tokenId) => {
      const token = await ctx.accessTokens.findToken(tokenId);
      if (token === undefined) throw tokenNotFound();
      return { token: null, tokenId, expiresAt: token.expiresAt };
    },
  );
}

/** Issues a token that stands for the calling key, with a part of what it may. It ends with the key at the latest. */
export async function deriveToken(
  ctx: DeriveContext,
  caller: SecretKeyCaller,
  command: DeriveCommand,
  act: Act,
  call?: IdempotentCall,
): Promise<IssuedToken> {
  const issuer = requireConfigured(ctx.issuer);
  const { key, tenantId } = caller;
  const scopes = checkedScopes(command.scopes, caller, ctx.catalogue);
  const userId = checkedUserId(command.userId, caller);
  const audience = command.audience === undefined ? issuer.issuer : checkedAudience(command.audience);
  const secretHash = await ctx.keys.findSecretHash(tenantId, key.keyId);
  if (secretHash === undefined) throw new Denial("api_key_not_found");
  const grant = {
    ...{ tenantId, keyId: key.keyId, secretHash, scopes, userId, audience, ruleId: null },
    confirmationJkt: command.confirmationJkt ?? null,
    ttlSeconds: command.ttlSeconds || TTL_SECONDS_DEFAULT,
    keyExpiresAt: key.expiresAt,
  };
  return issueToken({ ...ctx, issuer }, grant, act, call);
}

function checkedScopes(asked: readonly string[], { rights }: Principal, catalogue: Catalogue): readonly string[] {
  const scopes = checkedPermissions(asked, "secret", catalogue, "scopes");
  const index = asked.findIndex((scope) => !mayUse(rights, scope));
  const scope = asked[index];
  if (scope === undefined) return scopes;
  const field = `scopes[${index}]`;
  throw new Denial("insufficient_scope", {
    message: `${field}: this API key does not have the scope "${scope}"; remove it, or use a key with the scope.`,
    field,
    scope,
  });
}

/** Without one, the token acts for the user for whom the call is made. Null: for none. */
function checkedUserId(userId: string | undefined, { rights, onBehalfOf }: SecretKeyCaller): string | null {
  const field = "user_id";
  if (userId === undefined) return onBehalfOf;
  if (onBehalfOf !== null && onBehalfOf !== userId)
    throw invalid(field, "must be the user of X-On-Behalf-Of, for whom the call is made; send one of the two");
  if (!mayUse(rights, MAY_IMPERSONATE))
    throw new Denial("insufficient_scope", {
      message: `${field}: needs the scope ${MAY_IMPERSONATE}, which this API key lacks; remove it, or use a key with the scope.`,
      field,
      scope: MAY_IMPERSONATE,
    });
  if (!isUserId(userId))
    throw invalid(
      field,
      "must be one user id, as X-On-Behalf-Of takes it: 1 to 256 printable characters, and no comma",
    );
  return userId;
}

function checkedAudience(audience: string): string {
  if (isIdentifier(audience)) return audience;
  throw invalid("audience", "must be 1 to 256 characters, containing a visible character and no control characters");
}
