import type { Command } from "commander";
import { type ApiKey, KeyStatus, type LatchkeyClient } from "../../../clients/typescript/src/index.ts";
import { addCommand, type Invocation, type Surroundings } from "../command.ts";
import { UsageError } from "../exit-status.ts";
import { type LoggedChange, readAccessLog } from "../input/access-log.ts";
import { parsePast } from "../input/instant.ts";
import { groupOf } from "./groups.ts";
import { LOST_CHANGE, type LostChange } from "./lost-changes.ts";

type KeyVerb = "revoke" | "disable" | "enable";

/** The changes of keys that can be made again. Of `disable` and `enable` the later one counts. */
export const OF_KEYS: Readonly<Record<string, KeyVerb>> = {
  "latchkey.v1.ApiKeyService/RevokeApiKey": "revoke",
  "latchkey.v1.OperatorService/RevokeKey": "revoke",
  "latchkey.v1.ApiKeyService/DisableApiKey": "disable",
  "latchkey.v1.OperatorService/DisableKey": "disable",
  "latchkey.v1.ApiKeyService/EnableApiKey": "enable",
  "latchkey.v1.OperatorService/EnableKey": "enable",
};

/** The longest life of a token. */
const TTL_MS_MAX = 3_600_000;
const TOKEN_REVOCATION = "latchkey.v1.TokenService/RevokeToken";

/**
 * Changes that took rights away, too, but of which the log does not have enough to make them again, or which a tenant's people make.
 * test/cli/restore.test.ts holds that every procedure that changes anything is here, above, or gives rights.
 */
export const BY_HAND: ReadonlySet<string> = new Set([
  "latchkey.v1.ApiKeyService/RotateApiKey",
  "latchkey.v1.ApiKeyService/UpdateApiKey",
  "latchkey.v1.KeyPolicyService/SetKeyPolicy",
  "latchkey.v1.LeakService/ReportLeakedKeys",
  "latchkey.v1.OperatorService/DeleteKeyFormat",
  "latchkey.v1.OperatorService/RotateTenantKey",
  "latchkey.v1.OperatorService/UpdateTenantKey",
  "latchkey.v1.OperatorService/SuspendTenant",
  "latchkey.v1.OperatorService/EraseTenant",
  "latchkey.v1.OperatorService/EraseUser",
  "latchkey.v1.OrgService/RemoveMember",
  "latchkey.v1.OrgService/SetMemberRole",
  "latchkey.v1.OrgService/RevokeInvitation",
  TOKEN_REVOCATION,
  "latchkey.v1.FederationService/UpdateFederationRule",
  "latchkey.v1.FederationService/DeleteFederationRule",
  "latchkey.v1.WebhookService/UpdateWebhook",
  "latchkey.v1.WebhookService/DeleteWebhook",
  "latchkey.v1.WebhookService/RotateWebhookSecret",
  "api-keys/report-leak/github",
]);

interface Options {
  readonly accessLog: string;
  readonly dryRun?: true;
}

/** `latchkey operator keys revoke-since`: what a restore of the database has undone, from the access log. */
export function addRevokeSince(program: Command, around: Surroundings): void {
  const description =
    "after a restore to an instant: revoke and disable again what the access log says was, and list what else took rights away";
  addCommand<Options>(
    groupOf(program, ["operator", "keys"]),
    "revoke-since <instant>",
    description,
    around,
    revokeSince,
  )
    .requiredOption("--access-log <path>", "the service's log of all replicas, from the instant on; `-` for stdin")
    .option("--dry-run", "change nothing; show what would be changed");
}

async function revokeSince(run: Invocation<Options>): Promise<void> {
  const since = instantOf(run.args[0] ?? "");
  const now = new Date();
  // Before the log: without credentials nothing is read.
  const { operator } = await run.client("operator");
  const procedures = new Set([...Object.keys(OF_KEYS), ...BY_HAND]);
  const { changes, from } = await readAccessLog(run.options.accessLog, procedures, since);
  if (from === undefined) throw new UsageError("--access-log has no line of Latchkey's access log");
  if (from > since) {
    run.note(
      `Warning: the log begins at ${from.toISOString()}; what was changed between ${since.toISOString()} and then is not in it.`,
    );
  }
  const lost: LostChange[] = changes
    .filter(({ procedure }) => BY_HAND.has(procedure))
    .map((change) => byHand(change, now));
  try {
    for (const change of keyChanges(changes)) lost.push(await makeAgain(operator, change, run.options.dryRun === true));
  } finally {
    // Also of a run that breaks off: what is listed as made again is.
    lost.sort((a, b) => a.at.getTime() - b.at.getTime());
    run.list({ changes: lost.map(toJson) }, lost, LOST_CHANGE);
  }
  if (lost.some(({ outcome }) => outcome === "to be made by hand")) run.note(ADVICE);
}

const ADVICE =
  'Look at what is to be made by hand: docs/storage.md, "Restore". The log has the calls, not what they changed.';

function instantOf(text: string): Date {
  try {
    return parsePast(text);
  } catch (err) {
    throw err instanceof Error ? new UsageError(`<instant>: ${err.message}`) : err;
  }
}

function byHand({ procedure, targetId, tenantId, at }: LoggedChange, now: Date): LostChange {
  const change = procedure.slice(procedure.indexOf("/") + 1);
  // It was issued before it was revoked, so it has ended by itself by then.
  const hasExpired = procedure === TOKEN_REVOCATION && now.getTime() - at.getTime() > TTL_MS_MAX;
  return { at, change, targetId, tenantId, outcome: hasExpired ? "expired since" : "to be made by hand" };
}

interface KeyChange {
  readonly verb: "revoke" | "disable";
  readonly keyId: string;
  readonly at: Date;
}

/** The final state of each key: a revocation is for ever, and a key that was enabled again needs nothing. */
function keyChanges(changes: readonly LoggedChange[]): KeyChange[] {
  const last = new Map<string, LoggedChange & { readonly verb: KeyVerb }>();
  // The logs of several replicas may come one after the other.
  for (const change of changes.toSorted((a, b) => a.at.getTime() - b.at.getTime())) {
    const verb = OF_KEYS[change.procedure];
    const { targetId } = change;
    if (verb === undefined || targetId === "" || last.get(targetId)?.verb === "revoke") continue;
    last.set(targetId, { ...change, verb });
  }
  return [...last.values()].flatMap(({ verb, targetId, at }) =>
    verb === "enable" ? [] : [{ verb, keyId: targetId, at }],
  );
}

async function makeAgain(
  operator: LatchkeyClient["operator"],
  { verb, keyId, at }: KeyChange,
  isDryRun: boolean,
): Promise<LostChange> {
  const { keys } = await operator.findKeys({ keyId });
  const [key] = keys;
  const base = { at, change: verb, targetId: keyId, tenantId: key?.tenantId ?? "" };
  // It was made after the instant, so it is gone, too.
  if (key === undefined) return { ...base, outcome: "not in this database" };
  if (isInForce(verb, key)) return { ...base, outcome: "in force already" };
  if (isDryRun) return { ...base, outcome: "not made: dry run" };
  await (verb === "revoke" ? operator.revokeKey({ keyId }) : operator.disableKey({ keyId }));
  return { ...base, outcome: "made again" };
}

function isInForce(verb: KeyChange["verb"], { status }: ApiKey): boolean {
  return status === KeyStatus.REVOKED || (verb === "disable" && status === KeyStatus.DISABLED);
}

function toJson({ at, change, targetId, tenantId, outcome }: LostChange) {
  return { at: at.toISOString(), change, target_id: targetId, tenant_id: tenantId, outcome };
}
