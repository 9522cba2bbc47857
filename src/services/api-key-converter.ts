import type { JsonObject, Message, MessageInitShape } from "@bufbuild/protobuf";
import {
  type ApiKeySchema,
  KeyStatus as KeyStatusProto,
  KeyType as KeyTypeProto,
  type PublishableConfig,
  type RateLimit as RateLimitProto,
  type RateLimitSchema,
} from "../../gen/latchkey/v1/api_key_pb.ts";
import type {
  CreateApiKeyRequest,
  IssuedKeySchema,
  ListApiKeysRequest,
} from "../../gen/latchkey/v1/api_key_service_pb.ts";
import type { Catalogue } from "../domain/access/catalogue.ts";
import type { KeyRecord, KeyType } from "../domain/credentials/key.ts";
import type { Metadata } from "../domain/credentials/metadata.ts";
import { type KeyStatus, keyStatus } from "../domain/credentials/status.ts";
import type { CreatedKey, CreateKeyCommand, IssuedKey } from "../domain/keys/create.ts";
import { type KeyFilter, keyFilter } from "../domain/keys/filter.ts";
import type { RepeatedKey } from "../domain/keys/idempotent-keys.ts";
import type { KeyDetails } from "../domain/keys/key-details.ts";
import type { GivenMember, KeyValues } from "../domain/keys/key-fields.ts";
import type { OidcInput } from "../domain/keys/oidc.ts";
import type { RateLimit } from "../domain/limits/caps.ts";
import { burstWarning, checkedUnlimited, isUnlimited, withPerUser } from "../domain/limits/rate-limit.ts";
import { toActor } from "./audit-converter.ts";
import { toDate, toTimestamp } from "./dates.ts";
import { fromOidc, toOidc } from "./oidc-converter.ts";

const STATUSES = {
  active: KeyStatusProto.ACTIVE,
  expired: KeyStatusProto.EXPIRED,
  disabled: KeyStatusProto.DISABLED,
  revoked: KeyStatusProto.REVOKED,
} as const satisfies Record<KeyStatus, KeyStatusProto>;

const STATUSES_FROM_PROTO: Record<KeyStatusProto, KeyStatus | null> = {
  [KeyStatusProto.UNSPECIFIED]: null,
  [KeyStatusProto.ACTIVE]: "active",
  [KeyStatusProto.EXPIRED]: "expired",
  [KeyStatusProto.DISABLED]: "disabled",
  [KeyStatusProto.REVOKED]: "revoked",
};

/** A key as answers show it at an instant. */
export function toApiKey(
  record: KeyDetails,
  now: Date,
  { isGrantable }: Pick<Catalogue, "isGrantable">,
): MessageInitShape<typeof ApiKeySchema> {
  const unknown = record.permissions.filter((scope) => !isGrantable(scope));
  return {
    ...toKeyRecord(record),
    status: STATUSES[keyStatus(record, now)],
    lastUsedAt: toTimestamp(record.lastUsedAt),
    ...(record.createdBy !== null && { createdBy: toActor(record.createdBy) }),
    ...(record.revokedBy !== null && { revokedBy: toActor(record.revokedBy) }),
    ...(record.leak !== null && {
      leakedAt: toTimestamp(record.leak.at),
      ...(record.leak.url !== null && { leakUrl: record.leak.url }),
      ...(record.leak.source !== null && { leakSource: record.leak.source }),
    }),
    ...(record.imported !== null && {
      imported: true,
      ...(record.imported.keyFormat !== "" && { keyFormat: record.imported.keyFormat }),
    }),
    ...(unknown.length > 0 && { unknownPermissions: { names: unknown } }),
  };
}

/** What the record of a key itself holds. */
export function toKeyRecord(record: KeyRecord) {
  return {
    keyId: record.keyId,
    keyPrefix: record.secretPrefix,
    name: record.name,
    description: record.description,
    keyType: record.type === "publishable" ? KeyTypeProto.PUBLISHABLE : KeyTypeProto.SECRET,
    permissions: [...record.permissions],
    rateLimit: toRateLimit(record.rateLimit),
    createdAt: toTimestamp(record.createdAt),
    updatedAt: toTimestamp(record.updatedAt),
    expiresAt: toTimestamp(record.expiresAt),
    revokedAt: toTimestamp(record.revokedAt),
    ...(record.oidc && { publishableConfig: { oidc: toOidc(record.oidc) } }),
    ...toTags(record),
    ...toFence(record),
    ...(record.rotatedTo !== null && { rotatedTo: record.rotatedTo }),
    ...(record.rotatedFrom !== null && { rotatedFrom: record.rotatedFrom }),
  };
}

/** The tenant's own data of a key, each undefined if the key has none. */
export function toTags({ metadata, externalId }: Pick<KeyRecord, "metadata" | "externalId">) {
  return {
    metadata: metadata === null ? undefined : jsonObject(metadata),
    externalId: externalId === "" ? undefined : externalId,
  };
}

function toFence({ type, allowedIps, allowedOrigins, allowBrowser }: KeyRecord) {
  return {
    allowedIps: [...allowedIps],
    allowedOrigins: [...allowedOrigins],
    ...(type === "secret" && allowBrowser && { allowBrowser }),
  };
}

/** The same value: only the types differ in what may be written. */
function jsonObject(metadata: Metadata): JsonObject {
  return metadata as JsonObject;
}

export function toIssuedKey(issued: IssuedKey | RepeatedKey): MessageInitShape<typeof IssuedKeySchema> {
  const { keyId, secretPrefix: keyPrefix, secret } = issued;
  return secret === null ? { keyId, keyPrefix, alreadyCreated: true } : { keyId, key: secret, keyPrefix };
}

export function toCreatedKey(created: CreatedKey | RepeatedKey) {
  const warning = created.secret === null ? undefined : created.warning;
  return { result: toIssuedKey(created), ...(warning !== undefined && { warning }) };
}

/** Absent means a secret key. */
export function fromKeyType(type: KeyTypeProto): KeyType {
  return type === KeyTypeProto.PUBLISHABLE ? "publishable" : "secret";
}

/** Absent means every status. Throws for an unknown number, which the proto's rule already rejects. */
function fromKeyStatus(status: KeyStatusProto): KeyStatus | null {
  const known = STATUSES_FROM_PROTO[status];
  if (known === undefined) throw new Error(`no key has the status ${status}`);
  return known;
}

/** `field` is the limit's name in the request. */
export function fromRateLimit(limit: RateLimitProto | undefined, field: string): RateLimit | null {
  if (limit === undefined) return null;
  return checkedUnlimited(withPerUser(limit, limit.perUser), limit.unlimited, field);
}

function toRateLimit(limit: RateLimit): MessageInitShape<typeof RateLimitSchema> {
  const { requestsPerMinute, requestsPerHour, burstSize, perUser } = limit;
  const warning = burstWarning(limit);
  return {
    requestsPerMinute,
    requestsPerHour,
    burstSize,
    ...(perUser && { perUser: { ...perUser } }),
    ...(warning !== undefined && { warning }),
    ...(isUnlimited(limit) && { unlimited: true }),
  };
}

/** The members of a request that describe a key. */
type DescribedKey = Pick<CreateApiKeyRequest, GivenMember>;

export function fromKeyValues(req: DescribedKey): KeyValues {
  return {
    name: req.name,
    description: req.description,
    permissions: req.permissions,
    rateLimit: fromRateLimit(req.rateLimit, "rate_limit"),
    expiresAt: toDate(req.expiresAt),
    metadata: req.metadata ?? null,
    externalId: req.externalId,
    allowedIps: req.allowedIps,
    allowedOrigins: req.allowedOrigins,
    allowBrowser: req.allowBrowser ?? null,
  };
}

export function fromNewKey(
  req: DescribedKey & Pick<CreateApiKeyRequest, "keyType" | "publishableConfig" | "secretHash" | "keyPrefix">,
  tenantId: string,
): CreateKeyCommand {
  return {
    ...fromKeyValues(req),
    tenantId,
    type: fromKeyType(req.keyType),
    publishableConfig: fromPublishableConfig(req.publishableConfig),
    // The digits of both cases mean the same, also to the comparison of repeated calls.
    ...(req.secretHash !== undefined && { secretHash: req.secretHash.toLowerCase() }),
    ...(req.keyPrefix !== undefined && { secretPrefix: req.keyPrefix }),
  };
}

export function fromKeyFilter(req: Omit<ListApiKeysRequest, keyof Message>, now: Date): KeyFilter {
  const { externalId, namePrefix, keyPrefix, keyType, scope, search, sort } = req;
  return keyFilter({
    status: fromKeyStatus(req.status),
    now,
    type: keyType === KeyTypeProto.UNSPECIFIED ? null : fromKeyType(keyType),
    lastUsedBefore: toDate(req.lastUsedBefore),
    expiresBefore: toDate(req.expiresBefore),
    isLeaked: req.leaked,
    isImported: req.imported,
    ...{ keyFormat: req.keyFormat, externalId, namePrefix, keyPrefix, scope, search, sort },
  });
}

export function fromPublishableConfig(config: PublishableConfig | undefined): { oidc: OidcInput | null } | null {
  return config === undefined ? null : { oidc: fromOidc(config.oidc) };
}
