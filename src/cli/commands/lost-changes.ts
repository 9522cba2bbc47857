import type { Column } from "../output/column.ts";

/** A change that a restore has undone, and what became of it. */
export interface LostChange {
  readonly at: Date;
  /** Such as `revoke`, or the procedure of a change that the command does not make. */
  readonly change: string;
  readonly targetId: string;
  readonly tenantId: string;
  readonly outcome:
    | "made again"
    | "not made: dry run"
    | "in force already"
    | "expired since"
    | "not in this database"
    | "to be made by hand";
}

export const LOST_CHANGE: readonly Column<LostChange>[] = [
  { name: "at", text: ({ at }) => at.toISOString() },
  { name: "change", text: ({ change }) => change },
  { name: "target_id", text: ({ targetId }) => targetId },
  { name: "tenant_id", text: ({ tenantId }) => tenantId },
  {
    name: "outcome",
    text: ({ outcome }) => outcome,
    tone: ({ outcome }) => (outcome === "made again" ? "good" : outcome === "to be made by hand" ? "bad" : undefined),
  },
];
