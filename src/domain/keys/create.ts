import type { Catalogue } from "../access/catalogue.ts";
import type { Grant } from "../access/grant.ts";
import type { Act } from "../audit/event.ts";
import type { KeyIssuer, KeyRecord, KeyType, OidcConfig } from "../credentials/key.ts";
import { hashSecret, makeSecret, secretPrefix } from "../credentials/secret.ts";
import type { IdempotentCall } from "../idempotency/idempotent-call.ts";
import type { RateLimit } from "../limits/caps.ts";
import { burstWarning } from "../limits/rate-limit.ts";
import type { KeyClock } from "../vocabulary/clock.ts";
import { newId } from "../vocabulary/ids.ts";
import { faultOf } from "../vocabulary/request-fault.ts";
import { type CallerMadeSecret, checkedSecret, type StoredSecret } from "./caller-made.ts";
import { type DiscoverContext, withDiscovery } from "./discover.ts";
import type { NewKey } from "./key-change.ts";
import { GIVEN_MEMBERS, givenMembers, type KeyValues } from "./key-fields.ts";
import type { KeyStore } from "./key-store.ts";
import { checkedOidc, type OidcInput } from "./oidc.ts";
import { checkedExpiry } from "./rules.ts";
import { checkNewKey } from "./within-policy.ts";

/** A key to make, as the caller describes it. */
export interface CreateKeyCommand extends KeyValues, Partial<CallerMadeSecret> {
  readonly tenantId: string;
  readonly type: KeyType;
  /** Publishable keys only. Without `oidc` the key is created, but every use is denied as misconfigured. */
  readonly publishableConfig: { readonly oidc: OidcInput | null } | null;
}

/** The dependencies of creating a key. */
export interface CreateKeyContext extends DiscoverContext {
  readonly keys: KeyStore;
  readonly keyClock: KeyClock;
  /** Limits of a key whose creator names none. */
  readonly rateLimitDefault: RateLimit;
  readonly catalogue: Catalogue;
  /** Maximum number of usable keys of any tenant, as the operator allows. */
  readonly tenantKeysMax: number;
  /** The platform's name in new keys. Null: they have none. */
  readonly keyBrand: string | null;
}

/** A new key as its creator receives it. The secret is not stored anywhere. */
export interface IssuedKey {
  readonly keyId: string;
  readonly secretPrefix: string;
  /** Empty for a key that its creator made. */
  readonly secret: string;
}

/** A new key with what is stored of its secret. */
export type DrawnKey = IssuedKey & StoredSecret;

/** A new key with what its creator should consider about it, as sentences. */
export interface CreatedKey extends IssuedKey {
  readonly warning: string | undefined;
}

/** Creates a key whose permissions `grant` allows. Throws `IdempotentReplay` if `call` has made one before. */
export async function createKey(
  ctx: CreateKeyContext,
  command: CreateKeyCommand,
  grant: Grant,
  act: Act,
  call?: IdempotentCall,
): Promise<CreatedKey> {
  const { tenantId } = command;
  const now = ctx.keyClock();
  if (command.type === "secret" && command.publishableConfig !== null) {
    throw faultOf(
      "not_for_key_type",
      "publishableConfig",
      "is only for publishable keys: remove it, or set keyType to KEY_TYPE_PUBLISHABLE",
    );
  }
  const made = checkedSecret(command.type, command);
  const given = command.publishableConfig?.oidc ?? null;
  const fields = {
    tenantId,
    type: command.type,
    rotatedFrom: null,
    ...givenMembers(CHECKED_FIRST, command, {
      current: { type: command.type, expiresAt: null, rotatedTo: null },
      catalogue: ctx.catalogue,
      rateLimitDefault: ctx.rateLimitDefault,
      now,
    }),
  };
  const draft = given === null ? null : checkedOidc(given, ctx);
  const expiresAt = command.expiresAt === null ? null : checkedExpiry(command.expiresAt, now);
  grant(tenantId, fields.permissions);
  // Last, because it may fetch from the issuer.
  const oidc = draft === null ? null : await withDiscovery(ctx, tenantId, draft);
  const warnings = [
    oidc === null ? misconfiguredWarning(command.type) : sharedUsersWarning(oidc, await ctx.keys.listIssuers(tenantId)),
    burstWarning(fields.rateLimit),
  ].filter((warning) => warning !== undefined);
  const drawn = made === null ? drawKey(command.type, ctx.keyBrand) : { ...made, keyId: newId("key"), secret: "" };
  const key = { ...newKey(drawn, { ...fields, oidc, expiresAt }, now), isCallerMade: made !== null };
  await ctx.keys.insertKey(key, act, checkNewKey(key.record, ctx.tenantKeysMax), call);
  const { keyId, secretPrefix, secret } = drawn;
  return { keyId, secretPrefix, secret, warning: warnings.length === 0 ? undefined : warnings.join(" ") };
}

/** The expiry follows after the configuration, which a caller with both at fault has to fix first. */
const CHECKED_FIRST = GIVEN_MEMBERS.filter((member) => member !== "expiresAt");

function misconfiguredWarning(type: KeyType): string | undefined {
  return type === "publishable" ? MISCONFIGURED : undefined;
}

const MISCONFIGURED =
  "Each use of this key will be denied with misconfigured_publishable_key (500), since it has no publishableConfig.oidc and cannot get one later. Create another key with publishableConfig.oidc, and revoke this one.";

/** Subjects are unique within an issuer only (OpenID Connect Core 1.0, 5.7). */
function sharedUsersWarning(
  { issuer, userIdPrefix = "" }: OidcConfig,
  issuers: readonly KeyIssuer[],
): string | undefined {
  const isShared = issuers.some(
    (other) => other.issuer !== issuer && (userIdPrefix === "" || other.userIdPrefix === userIdPrefix),
  );
  return isShared ? SHARED_USERS : undefined;
}

const SHARED_USERS =
  "Another publishable key of this tenant has another issuer, and a user of one with the same id as a user of the other is the same user here. Unless that is meant, create the key with a publishableConfig.oidc.userIdPrefix of its own.";

/** Draws the random parts of a new key. */
export function drawKey(type: KeyType, brand: string | null): DrawnKey {
  const secret = makeSecret(type, brand);
  return { keyId: newId("key"), secret, secretHash: hashSecret(secret), secretPrefix: secretPrefix(secret) };
}

/** The parts of a new key that are stored: the record and the hash of the secret. */
export function newKey(
  { keyId, secretHash, secretPrefix }: Omit<DrawnKey, "secret">,
  fields: Omit<
    KeyRecord,
    "keyId" | "secretPrefix" | "createdAt" | "updatedAt" | "disabledAt" | "revokedAt" | "rotatedTo" | "budgetId"
  > & { readonly budgetId?: string },
  now: Date,
): NewKey {
  const record: KeyRecord = {
    budgetId: null,
    ...fields,
    keyId,
    secretPrefix,
    createdAt: now,
    updatedAt: now,
    disabledAt: null,
    revokedAt: null,
    rotatedTo: null,
  };
  return { record, secretHash };
}
