import type { Grant } from "../access/grant.ts";
import type { Act } from "../audit/event.ts";
import { changeKey, UNCHANGED } from "./change.ts";
import { type CreatedKey, type CreateKeyCommand, type CreateKeyContext, createKey, type IssuedKey } from "./create.ts";
import { AlreadyMade, type KeyRequest, keyRequest, type MadeKey, requireSameContent } from "./key-request.ts";
import type { KeyStore } from "./key-store.ts";
import { GRACE_HOURS_DEFAULT, type RotateKeyContext, rotateKey } from "./rotate.ts";

/** A key that an earlier call has made. Its secret is not stored: it is lost if that call's answer was. */
export interface RepeatedKey {
  readonly keyId: string;
  readonly secretPrefix: string;
  readonly secret: null;
}

/** As `createKey`; with `clientRequestId` a repeated call returns the first one's key. Empty: each call makes one. */
export function createKeyOnce(
  ctx: CreateKeyContext,
  command: CreateKeyCommand,
  clientRequestId: string,
  grant: Grant,
  act: Act,
): Promise<CreatedKey | RepeatedKey> {
  const request = keyRequest(clientRequestId, command.tenantId, act, { create: command });
  return once(ctx.keys, request, () => createKey(ctx, command, grant, act, request));
}

export interface RotateKeyCommand {
  readonly tenantId: string;
  readonly keyId: string;
  readonly graceHours: number | undefined;
}

/** As `rotateKey`; with `clientRequestId` a repeated call returns the first one's successor. */
export async function rotateKeyOnce(
  ctx: RotateKeyContext,
  { tenantId, keyId, graceHours = GRACE_HOURS_DEFAULT }: RotateKeyCommand,
  clientRequestId: string,
  grant: Grant,
  act: Act,
): Promise<IssuedKey | RepeatedKey> {
  const request = keyRequest(clientRequestId, tenantId, act, { rotate: { keyId, graceHours } });
  const made = await once(ctx.keys, request, () => rotateKey(ctx, tenantId, keyId, graceHours, grant, act, request));
  // The first call may have ended before the old key's end bound on every replica.
  if (made.secret === null) {
    await changeKey({ keys: ctx.keys, clock: ctx.keyClock }, tenantId, keyId, () => UNCHANGED, act);
  }
  return made;
}

/**
 * Makes a key by `make`, or finds the one that the same request has made. It is looked for first: what was allowed for the
 * first call, such as an `expires_at`, may not be allowed any more.
 */
async function once<Made>(
  keys: Pick<KeyStore, "findMade">,
  request: KeyRequest | undefined,
  make: () => Promise<Made>,
): Promise<Made | RepeatedKey> {
  if (request === undefined) return make();
  const before = await keys.findMade(request);
  if (before !== undefined) return repeated(request, before);
  try {
    return await make();
  } catch (err) {
    if (err instanceof AlreadyMade) return repeated(request, err.made);
    throw err;
  }
}

function repeated(request: KeyRequest, made: MadeKey): RepeatedKey {
  requireSameContent(request, made);
  return { keyId: made.keyId, secretPrefix: made.secretPrefix, secret: null };
}
