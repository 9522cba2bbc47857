import type { Act } from "../audit/event.ts";
import type { SecretHash } from "../credentials/key.ts";
import { hashOfKey } from "../key-formats/any-key.ts";
import type { ForeignKeys } from "../key-formats/foreign-keys.ts";
import { changeKey, UNCHANGED } from "../keys/change.ts";
import type { KeyChange } from "../keys/key-change.ts";
import type { KeyDetails } from "../keys/key-details.ts";
import type { KeyStore } from "../keys/key-store.ts";
import type { KeyClock } from "../vocabulary/clock.ts";
import { withoutCredentials } from "../vocabulary/credential-pattern.ts";

/** A text that was found, which may be a key, and where. Null: not known. */
export interface LeakReport {
  readonly secret: string;
  readonly url: string | null;
  readonly source: string | null;
}

export interface ReportLeaksContext {
  readonly keys: KeyStore;
  readonly keyClock: KeyClock;
  readonly foreignKeys: Pick<ForeignKeys, "hashOf">;
  /** Called for each key whose record has the leak now. */
  readonly onLeak: (key: KeyDetails, act: Act) => void;
}

/** The first report of each text that can be a key, by the hash of the key. */
export type ReportedKeys = ReadonlyMap<SecretHash, LeakReport>;

/**
 * The texts of the reports that can be keys, each of which costs a look-up. The others cost none, and do not count as what a client
 * may report: anyone could spend that with texts that need not even be made up.
 */
export async function keysReported(
  { foreignKeys }: Pick<ReportLeaksContext, "foreignKeys">,
  reports: readonly LeakReport[],
): Promise<ReportedKeys> {
  const first = new Map<SecretHash, LeakReport>();
  for (const report of reports) {
    const hash = await hashOfKey(foreignKeys, report.secret);
    if (hash !== undefined && !first.has(hash)) first.set(hash, report);
  }
  return first;
}

/**
 * Disables the secret keys among those that are reported, and records where they were found. Returns the texts that are
 * secret keys of this service, whatever their status.
 *
 * Each text that can be a key costs the same look-up, whether it is one or not. Only a key's change takes longer. That shows to its reporter
 * what the key itself would show in `X-API-Key`.
 */
export async function reportLeaks(
  ctx: ReportLeaksContext,
  reported: ReportedKeys,
  act: Act,
): Promise<ReadonlySet<string>> {
  const found = await Promise.all(
    [...reported].map(async ([hash, report]) => ({ report, key: await find(ctx, hash) })),
  );
  const secrets = new Set<string>();
  for (const { report, key } of found) {
    if (key?.type !== "secret") continue;
    secrets.add(report.secret);
    await recordLeak(ctx, key, report, act);
  }
  return secrets;
}

function find({ keys }: ReportLeaksContext, hash: SecretHash) {
  return keys.findKeyBySecretHash(hash);
}

/** One key after the other: a list of keys takes one connection to the database, not a hundred. */
async function recordLeak(
  { keys, keyClock, onLeak }: ReportLeaksContext,
  { tenantId, keyId }: Pick<KeyDetails, "tenantId" | "keyId">,
  report: LeakReport,
  act: Act,
): Promise<void> {
  let isNew = false;
  const decide = (current: KeyDetails, now: Date): KeyChange => {
    const change = decideLeak(current, report, now);
    isNew = change !== UNCHANGED;
    return change;
  };
  const key = await changeKey({ keys, clock: keyClock }, tenantId, keyId, decide, act);
  if (isNew) onLeak(key, act);
}

/**
 * Disables a key because of a leak. The first report counts until the key is enabled again: later ones change nothing. A key
 * that was revoked or has expired has ended for good, and stays as it is.
 */
function decideLeak(current: KeyDetails, { secret, url, source }: LeakReport, now: Date): KeyChange {
  const hasEnded = current.revokedAt !== null || (current.expiresAt !== null && current.expiresAt <= now);
  const isReported = current.leak !== null && current.disabledAt !== null;
  if (hasEnded || isReported) return UNCHANGED;
  const leak = { at: now, url: cleaned(url, secret), source: cleaned(source, secret) };
  return { patch: { leak, disabledAt: current.disabledAt ?? now } };
}

/** The record is shown, and the URL or the source may hold the key itself. */
function cleaned(text: string | null, secret: string): string | null {
  return text === null ? null : withoutCredentials(text.replaceAll(secret, "..."));
}
