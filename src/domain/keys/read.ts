import type { KeyUsage } from "../credentials/key.ts";
import { secretForm } from "../credentials/secret.ts";
import { type PeriodInput, usagePeriod } from "../usage/period.ts";
import type { Usage, UsageContext } from "../usage/read.ts";
import { seriesOf } from "../usage/series.ts";
import type { UsageRecorder } from "../usage/usage-store.ts";
import type { Page, PageRequest } from "../vocabulary/page.ts";
import { faultOf, invalid, type RequestFault } from "../vocabulary/request-fault.ts";
import type { KeyFilter } from "./filter.ts";
import type { KeyDetails } from "./key-details.ts";
import type { KeyStore } from "./key-store.ts";

/** Twice the length of an identifier. The database cannot hold a longer one, so it is not queried. */
const KEY_ID_CHARS_MAX = 72;

/** The same error for an unknown key, a malformed id and another tenant's key, so that they are indistinguishable. */
export function keyNotFound(): RequestFault {
  return faultOf("key_not_found", "key_id", "no such API key; list the keys to see those there are");
}

/** Whether a key can have this id. The store is not queried for a longer one. */
export function isPossibleKeyId(keyId: string): boolean {
  return keyId.length <= KEY_ID_CHARS_MAX;
}

/** Throws for a key in the place of its id, by the form of the text: whether there is such a key is not looked up. */
export function refuseKeyAsId(keyId: string): void {
  if (secretForm(keyId) !== "invalid")
    throw invalid(
      "key_id",
      "holds an API key; send the id of the key, which begins with key_, and rotate the key if others can read this request",
    );
}

/** Returns an id of acceptable length. Throws `keyNotFound` for a longer one. */
export function possibleKeyId(keyId: string): string {
  refuseKeyAsId(keyId);
  if (!isPossibleKeyId(keyId)) throw keyNotFound();
  return keyId;
}

interface ReadContext {
  readonly keys: KeyStore;
  readonly usage: UsageRecorder;
}

/** Like the list, includes the last use in this process, and those in others as far as they have stored them. */
export async function getKey({ keys, usage }: ReadContext, tenantId: string, keyId: string): Promise<KeyDetails> {
  possibleKeyId(keyId);
  const key = await keys.findKey(tenantId, keyId);
  if (key === undefined) throw keyNotFound();
  return withLastUse(key, usage);
}

export async function listKeys(
  { keys, usage }: ReadContext,
  tenantId: string,
  filter: KeyFilter,
  page: PageRequest,
): Promise<Page<KeyDetails>> {
  const { items, total } = await keys.listKeys(tenantId, filter, page);
  return { items: items.map((key) => withLastUse(key, usage)), total };
}

/** Includes every request that any replica has answered. */
export async function getKeyUsage(ctx: ReadContext, tenantId: string, keyId: string): Promise<KeyUsage> {
  await getKey(ctx, tenantId, keyId);
  await ctx.usage.collect(keyId);
  return ctx.keys.readUsage(tenantId, keyId);
}

/** The same key with the last use that this process has counted, if that is later. */
export function withLastUse(key: KeyDetails, usage: UsageRecorder): KeyDetails {
  const counted = usage.lastUsed(key.keyId);
  if (counted === undefined || (key.lastUsedAt !== null && key.lastUsedAt >= counted)) return key;
  return { ...key, lastUsedAt: counted };
}

/**
 * All that was counted of a key, and its uses in a period: with every request whose response any replica has sent. Throws
 * `RequestFault` for a period that cannot be, and for a key that the tenant does not have.
 */
export async function getKeySeries(
  ctx: UsageContext & { readonly keys: KeyStore; readonly usage: UsageRecorder },
  tenantId: string,
  keyId: string,
  input: PeriodInput,
): Promise<Usage> {
  usagePeriod(input, ctx.keyClock());
  await getKey(ctx, tenantId, keyId);
  await ctx.usage.collect(keyId);
  // By the clock of now: the hour may have ended meanwhile.
  const period = usagePeriod(input, ctx.keyClock());
  const { usage, uses } = await ctx.history.readKey(tenantId, keyId, period);
  return { usage, series: seriesOf(period, uses) };
}
