import type { Act } from "../audit/event.ts";
import type { ForeignKeys } from "../key-formats/foreign-keys.ts";
import type { OidcRules } from "../keys/oidc.ts";
import { checkEndedKey, checkNewKey } from "../keys/within-policy.ts";
import type { KeyClock } from "../vocabulary/clock.ts";
import { Denial } from "../vocabulary/denial.ts";
import { RequestFault } from "../vocabulary/request-fault.ts";
import type { ImportStore, StoredOutcome } from "./import-store.ts";
import { type PlanContext, type PlannedKey, plannedKey } from "./plan.ts";
import type { ImportedRow } from "./row.ts";
import { notImportable } from "./secret-of-row.ts";

export interface ImportContext extends Pick<PlanContext, "catalogue" | "rateLimitDefault">, OidcRules {
  readonly imports: ImportStore;
  readonly foreignKeys: Pick<ForeignKeys, "compiled">;
  readonly keyClock: KeyClock;
  readonly tenantKeysMax: number;
}

/** A row, or why it cannot be checked. */
export type ReadRow = ImportedRow | RequestFault;

export interface ImportCommand extends Pick<PlanContext, "grant" | "mayUseHash"> {
  readonly rows: readonly ReadRow[];
  readonly isDryRun: boolean;
  readonly act: Act;
  /** The caller's. Null: the operator's call is of no tenant. */
  readonly tenantId: string | null;
}

/** What became of a row. `keyId` is null of a key that a dry run would create. */
export type RowOutcome =
  | { readonly status: "CREATED" | "EXISTS"; readonly keyId: string | null }
  | { readonly status: "REFUSED"; readonly fault: RequestFault | Denial };

/** Imports keys of other systems. A row that cannot be imported is refused by itself. */
export async function importKeys(ctx: ImportContext, command: ImportCommand): Promise<readonly RowOutcome[]> {
  const { rows, isDryRun, act, tenantId, ...rights } = command;
  const now = ctx.keyClock();
  const { catalogue, rateLimitDefault, tenantKeysMax, jwksAllowedHosts, isOwnIssuer } = ctx;
  const plan = {
    ...rights,
    catalogue,
    rateLimitDefault,
    now,
    jwksAllowedHosts,
    isOwnIssuer,
    formats: await ctx.foreignKeys.compiled(),
  };
  const planned = rows.map((row) => (row instanceof RequestFault ? row : attempt(() => plannedKey(row, plan))));
  const keys = planned.filter((each) => isPlanned(each));
  const stored = await ctx.imports.importKeys(keys, {
    ...{ act, tenantId, now, isDryRun },
    refused: planned.length - keys.length,
    check: ({ record, hasEnded }, state) => (hasEnded ? checkEndedKey : checkNewKey(record, tenantKeysMax))(state),
  });
  const outcomes = new Map(keys.map((key, index) => [key, stored[index]]));
  return planned.map((each) =>
    isPlanned(each) ? outcomeOf(each, outcomes.get(each), isDryRun) : { status: "REFUSED", fault: each },
  );
}

function isPlanned(each: PlannedKey | RequestFault | Denial): each is PlannedKey {
  return !(each instanceof Error);
}

function attempt<Result>(work: () => Result): Result | RequestFault | Denial {
  try {
    return work();
  } catch (err) {
    if (err instanceof RequestFault || err instanceof Denial) return err;
    throw err;
  }
}

function outcomeOf({ field }: PlannedKey, outcome: StoredOutcome | undefined, isDryRun: boolean): RowOutcome {
  switch (outcome?.kind) {
    case "created":
      return { status: "CREATED", keyId: isDryRun ? null : outcome.keyId };
    case "exists":
      return { status: "EXISTS", keyId: outcome.keyId };
    case "taken":
      return { status: "REFUSED", fault: notImportable(field) };
    case "refused":
      return { status: "REFUSED", fault: outcome.fault };
    case undefined:
      throw new Error("the store returned no outcome for a key");
    default:
      return outcome satisfies never;
  }
}
