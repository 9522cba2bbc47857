import type { Act } from "../audit/event.ts";
import type { SecretHash } from "../credentials/key.ts";
import { hashSecret, secretForm } from "../credentials/secret.ts";
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
  /** Called for each key whose record has the leak now. */
  readonly onLeak: (key: KeyDetails, act: Act) => void;
}

/**
 * How many different texts of the reports can be keys, each of which costs a look-up. The others cost none, and do not count as
 * what a client may report: anyone could spend that with texts that need not even be made up.
 */
export function keysReported(reports: readonly LeakReport[]): number {
  return new Set(reports.map(({ secret }) => secret).filter(canBeKey)).size;
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
  reports: readonly LeakReport[],
  act: Act,
): Promise<ReadonlySet<string>> {
  const first = new Map<SecretHash, LeakReport>();
  for (const report of reports.toReversed()) {
    if (canBeKey(report.secret)) first.set(hashSecret(report.secret), report);
  }
  const found = await Promise.all([...first].map(async ([hash, report]) => ({ report, key: await find(ctx, hash) })));
  const secrets = new Set<string>();
  for (const { report, key } of found) {
    if (key?.type !== "secret") continue;
    secrets.add(report.secret);
    await recordLeak(ctx, key, report, act);
  }
  return secrets;
}

/** Whether this service, or another one like it, can have made the text: its checksum is right. */
function canBeKey(secret: string): boolean {
  return secretForm(secret) === "well_formed";
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
function decideLeak(current: KeyDetails, { url, source }: LeakReport, now: Date): KeyChange {
  const hasEnded = current.revokedAt !== null || (current.expiresAt !== null && current.expiresAt <= now);
  const isReported = current.leak !== null && current.disabledAt !== null;
  if (hasEnded || isReported) return UNCHANGED;
  const leak = { at: now, url: cleaned(url), source: cleaned(source) };
  return { patch: { leak, disabledAt: current.disabledAt ?? now } };
}

/** The record is shown, and the URL or the source may hold the key itself. */
function cleaned(text: string | null): string | null {
  return text === null ? null : withoutCredentials(text);
}
