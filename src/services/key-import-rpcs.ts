import { setImmediate as nextTurn } from "node:timers/promises";
import type { DescMessage, Message, MessageInitShape } from "@bufbuild/protobuf";
import type { ImportApiKeysRequest } from "../../gen/latchkey/v1/api_key_service_pb.ts";
import {
  type ExportedKeySchema,
  type ImportedRow as ImportedRowProto,
  ImportedRowSchema,
  type ImportResultSchema,
} from "../../gen/latchkey/v1/key_import_pb.ts";
import type { Authority } from "../domain/access/authority.ts";
import type { Catalogue } from "../domain/access/catalogue.ts";
import { createGrant } from "../domain/access/grant.ts";
import type { ExportedKey } from "../domain/imports/export.ts";
import { type ImportContext, importKeys, type ReadRow, type RowOutcome } from "../domain/imports/import.ts";
import type { ImportedRow } from "../domain/imports/row.ts";
import type { MayUseHash } from "../domain/imports/secret-of-row.ts";
import { ALGORITHMS } from "../domain/key-formats/key-format.ts";
import { checkedTenantId } from "../domain/tenants/suspend.ts";
import { invalid, RequestFault } from "../domain/vocabulary/request-fault.ts";
import { type CallContext, principalOf } from "../interceptors/call.ts";
import { fromKeyType, fromPublishableConfig, fromRateLimit, toApiKey } from "./api-key-converter.ts";
import { actOf } from "./callers.ts";
import { toDate } from "./dates.ts";

export interface KeyImportContext extends ImportContext {
  readonly authority: Authority;
  /** Throws `RequestFault` for a message that breaks a rule: of a row, which the check of the request leaves out. */
  readonly checkMessage: (schema: DescMessage, message: Message) => void;
}

const ROWS_PER_TURN = 50;

type Members = Omit<ImportApiKeysRequest, keyof Message>;

/** The RPCs that import keys: of a tenant's users, and of the operator for any tenants. */
export function createKeyImportRpcs(ctx: KeyImportContext) {
  async function run({ keys, dryRun }: Members, context: CallContext, tenantId: string | null, mayUseHash: MayUseHash) {
    const outcomes = await importKeys(ctx, {
      rows: await readRows(ctx, keys, tenantId),
      isDryRun: dryRun,
      act: actOf(context),
      grant: createGrant(ctx.authority, principalOf(context.values)),
      ...{ tenantId, mayUseHash },
    });
    const count = (status: RowOutcome["status"]) => outcomes.filter((each) => each.status === status).length;
    const counts = { created: count("CREATED"), exists: count("EXISTS"), refused: count("REFUSED") };
    return { results: outcomes.map(toResult), ...counts };
  }

  return {
    importFor: (tenantId: string, req: Members, context: CallContext) =>
      run(req, context, tenantId, (format, of) => format?.format.tenants.includes(of) === true),
    importForAny: (req: Members, context: CallContext) => run(req, context, null, () => true),
  };
}

/** Other requests are answered meanwhile: the checks of a thousand rows would take as long as a thousand requests. */
async function readRows(
  ctx: KeyImportContext,
  rows: readonly ImportedRowProto[],
  own: string | null,
): Promise<ReadRow[]> {
  const read: ReadRow[] = [];
  for (const row of rows) {
    if (read.length % ROWS_PER_TURN === ROWS_PER_TURN - 1) await nextTurn();
    read.push(readRow(ctx, row, own));
  }
  return read;
}

/** `own`: the caller's tenant. Null: each row names one. */
function readRow({ checkMessage }: KeyImportContext, row: ImportedRowProto, own: string | null): ReadRow {
  try {
    checkMessage(ImportedRowSchema, row);
    return fromRow(row, tenantOfRow(row, own));
  } catch (err) {
    if (err instanceof RequestFault) return err;
    throw err;
  }
}

function tenantOfRow({ tenantId }: ImportedRowProto, own: string | null): string {
  if (own === null) return checkedTenantId(tenantId);
  if (tenantId !== "" && tenantId !== own) throw invalid("tenant_id", "is not your tenant; leave it out");
  return own;
}

function fromRow(row: ImportedRowProto, tenantId: string): ImportedRow {
  const { hash, key, keyFormat, publicPart, keyPrefix, name, description, permissions, externalId, allowedIps } = row;
  return {
    ...{ tenantId, key, keyFormat, publicPart, keyPrefix, name, description, permissions, externalId, allowedIps },
    hash: hash === undefined ? null : { ...hash, algorithm: ALGORITHMS.find((known) => known === hash.algorithm) },
    rateLimit: fromRateLimit(row.rateLimit, "rate_limit"),
    expiresAt: toDate(row.expiresAt),
    createdAt: toDate(row.createdAt),
    revokedAt: toDate(row.revokedAt),
    metadata: row.metadata ?? null,
    allowedOrigins: row.allowedOrigins,
    type: fromKeyType(row.keyType),
    oidc: fromPublishableConfig(row.publishableConfig)?.oidc ?? null,
    allowBrowser: row.allowBrowser ?? null,
    isDisabled: row.disabled,
  };
}

function toResult(outcome: RowOutcome, index: number): MessageInitShape<typeof ImportResultSchema> {
  const { status } = outcome;
  if (status !== "REFUSED") return { index, status, ...(outcome.keyId !== null && { keyId: outcome.keyId }) };
  const { reason, message, field } = outcome.fault;
  return { index, status, reason, message, ...(field !== undefined && { field }) };
}

/** A key with its hash, as exports show it. */
export function toExportedKey(
  { details, hash, publicPart }: ExportedKey,
  now: Date,
  catalogue: Catalogue,
): MessageInitShape<typeof ExportedKeySchema> {
  return {
    key: { ...toApiKey(details, now, catalogue), tenantId: details.tenantId },
    hash: { ...hash },
    ...(publicPart !== null && { publicPart }),
  };
}
