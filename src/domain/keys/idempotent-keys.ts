import type { Grant } from "../access/grant.ts";
import type { Act } from "../audit/event.ts";
import { exactJson, idempotentCall } from "../idempotency/idempotent-call.ts";
import { type IdempotencyContext, idempotently } from "../idempotency/idempotently.ts";
import { changeKey, UNCHANGED } from "./change.ts";
import { type CreatedKey, type CreateKeyCommand, type CreateKeyContext, createKey, type IssuedKey } from "./create.ts";
import { OIDC_DEFAULTS } from "./oidc.ts";
import { keyNotFound } from "./read.ts";
import { GRACE_HOURS_DEFAULT, type RotateKeyContext, rotateKey } from "./rotate.ts";

/** A key that an earlier call has made. Its secret is not stored: it is lost if that call's answer was. */
export interface RepeatedKey {
  readonly keyId: string;
  readonly secretPrefix: string;
  readonly secret: null;
}

/**
 * As `createKey`; with `clientRequestId` a repeated call returns the first one's key. Empty: each call makes one. Nothing is lost
 * with the first answer for a caller who made the secret: the repeated call has the same one.
 */
export function createKeyIdempotently(
  ctx: CreateKeyContext & IdempotencyContext,
  command: CreateKeyCommand,
  clientRequestId: string,
  grant: Grant,
  act: Act,
): Promise<CreatedKey | RepeatedKey> {
  const { tenantId } = command;
  const call = idempotentCall(clientRequestId, tenantId, act, "create", meantKey(command, ctx));
  return idempotently(
    ctx,
    call,
    () => createKey(ctx, command, grant, act, call),
    async (keyId) => {
      const key = await repeated(ctx, tenantId, keyId);
      return command.secretHash === undefined ? key : { ...key, secret: "", warning: undefined };
    },
  );
}

export interface RotateKeyCommand {
  readonly tenantId: string;
  readonly keyId: string;
  readonly graceHours: number | undefined;
}

/** As `rotateKey`; with `clientRequestId` a repeated call returns the first one's successor. */
export function rotateKeyIdempotently(
  ctx: RotateKeyContext & IdempotencyContext,
  { tenantId, keyId, graceHours = GRACE_HOURS_DEFAULT }: RotateKeyCommand,
  clientRequestId: string,
  grant: Grant,
  act: Act,
): Promise<IssuedKey | RepeatedKey> {
  const call = idempotentCall(clientRequestId, tenantId, act, "rotate", { keyId, graceHours });
  return idempotently(
    ctx,
    call,
    () => rotateKey(ctx, tenantId, keyId, graceHours, grant, act, call),
    async (successorId) => {
      // The first call may have ended before the old key's end bound on every replica.
      await changeKey({ keys: ctx.keys, clock: ctx.keyClock }, tenantId, keyId, () => UNCHANGED, act);
      return repeated(ctx, tenantId, successorId);
    },
  );
}

async function repeated(
  { keys }: Pick<CreateKeyContext, "keys">,
  tenantId: string,
  keyId: string,
): Promise<RepeatedKey> {
  const key = await keys.findKey(tenantId, keyId);
  if (key === undefined) throw keyNotFound();
  return { keyId, secretPrefix: key.secretPrefix, secret: null };
}

/** The command as calls are compared: what it leaves out has its default, and free JSON is compared as it is. */
function meantKey(command: CreateKeyCommand, { rateLimitDefault }: Pick<CreateKeyContext, "rateLimitDefault">) {
  const { metadata, rateLimit, publishableConfig } = command;
  const oidc = publishableConfig?.oidc;
  return {
    ...command,
    metadata: metadata && exactJson(metadata),
    rateLimit: rateLimit ?? rateLimitDefault,
    publishableConfig: oidc && {
      ...oidc,
      requiredClaims: exactJson(oidc.requiredClaims),
      claimRules: Array.isArray(oidc.claimRules) ? oidc.claimRules.map(exactJson) : oidc.claimRules,
      userIdClaim: oidc.userIdClaim || OIDC_DEFAULTS.userIdClaim,
      audienceClaim: oidc.audienceClaim || OIDC_DEFAULTS.audienceClaim,
      tokenType: oidc.tokenType || OIDC_DEFAULTS.tokenType,
    },
  };
}
