import { newId } from "../ids.ts";
import { checkedName } from "../name.ts";
import type { Catalogue } from "../policy/catalogue.ts";
import type { Grant } from "../policy/grant.ts";
import type { KeyClock } from "../ports/clock.ts";
import type { KeyStore } from "../ports/keys.ts";
import { invalid } from "../request-fault.ts";
import type { KeyRecord, KeyType, NewKey, OidcConfig, RateLimit } from "./key.ts";
import { checkedOidc } from "./oidc.ts";
import { checkedExpiry, checkedPermissions } from "./rules.ts";
import { hashSecret, makeSecret, secretPrefix } from "./secret.ts";

/** A key to make, as the caller describes it. */
export interface CreateKeyCommand {
  readonly tenantId: string;
  readonly name: string;
  readonly description: string;
  readonly type: KeyType;
  readonly permissions: readonly string[];
  /** Null: the default for new keys. */
  readonly rateLimit: RateLimit | null;
  readonly expiresAt: Date | null;
  /** Publishable keys only. Without `oidc` the key is created, but every use is denied as misconfigured. */
  readonly publishableConfig: { readonly oidc: OidcConfig | null } | null;
}

/** What creating a key needs from outside. */
export interface CreateKeyContext {
  readonly keys: KeyStore;
  readonly keyClock: KeyClock;
  /** Limits of a key whose creator names none. */
  readonly rateLimitDefault: RateLimit;
  /** `host:port` of JWKS URLs that may be plain http or private. */
  readonly jwksAllowedHosts: readonly string[];
  readonly catalogue: Catalogue;
}

/** A new key as its creator receives it. The secret is not stored anywhere. */
export interface IssuedKey {
  readonly keyId: string;
  readonly secret: string;
}

/** Creates a key whose permissions `grant` allows. */
export async function createKey(ctx: CreateKeyContext, command: CreateKeyCommand, grant: Grant): Promise<IssuedKey> {
  const now = ctx.keyClock();
  if (command.type === "secret" && command.publishableConfig !== null) {
    throw invalid(
      "publishableConfig",
      "is only for publishable keys: remove it, or set keyType to KEY_TYPE_PUBLISHABLE",
    );
  }
  const oidc = command.publishableConfig?.oidc ?? null;
  const issued = drawKey(command.type);
  const key = newKey(
    issued,
    {
      tenantId: command.tenantId,
      type: command.type,
      name: checkedName(command.name),
      description: command.description,
      permissions: checkedPermissions(command.permissions, command.type, ctx.catalogue),
      rateLimit: command.rateLimit ?? ctx.rateLimitDefault,
      oidc: oidc === null ? null : checkedOidc(oidc, ctx.jwksAllowedHosts),
      expiresAt: command.expiresAt === null ? null : checkedExpiry(command.expiresAt, now),
      rotatedFrom: null,
    },
    now,
  );
  grant(command.tenantId, key.record.permissions);
  await ctx.keys.insertKey(key);
  return issued;
}

/** Draws the random parts of a new key. */
export function drawKey(type: KeyType): IssuedKey {
  return { keyId: newId("key"), secret: makeSecret(type) };
}

/** The parts of a new key that are stored: the record and the hash of the secret. */
export function newKey(
  { keyId, secret }: IssuedKey,
  fields: Pick<
    KeyRecord,
    "tenantId" | "type" | "name" | "description" | "permissions" | "rateLimit" | "oidc" | "expiresAt" | "rotatedFrom"
  >,
  now: Date,
): NewKey {
  const record: KeyRecord = {
    ...fields,
    keyId,
    secretPrefix: secretPrefix(secret),
    createdAt: now,
    updatedAt: now,
    disabledAt: null,
    revokedAt: null,
    rotatedTo: null,
  };
  return { record, secretHash: hashSecret(secret) };
}
