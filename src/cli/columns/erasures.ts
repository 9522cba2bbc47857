import type { Erasure } from "../../../clients/typescript/src/index.ts";
import type { Column } from "../output/column.ts";
import { yesOrNo } from "../output/values.ts";

export const ERASURE: readonly Column<Erasure>[] = [
  { name: "erasure_id", text: ({ erasureId }) => erasureId },
  { name: "tenant_id", text: ({ tenantId }) => tenantId },
  { name: "user_id", text: ({ userId }) => userId },
  { name: "finished", text: ({ finished }) => yesOrNo(finished) },
  { name: "removed", text: ({ removed }) => counts({ ...removed }), shrinks: true },
];

/** Of the kinds of which something was removed: `messages=40,runs=20`. */
function counts(removed: Record<string, unknown>): string {
  return Object.entries(removed)
    .filter(([, count]) => typeof count === "number" && count > 0)
    .map(([kind, count]) => `${kind}=${count}`)
    .join(",");
}
