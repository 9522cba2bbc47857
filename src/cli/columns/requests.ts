import type { RecentRequest, RequestExplanation } from "../../../clients/typescript/src/index.ts";
import type { Column } from "../output/column.ts";
import { instant } from "../output/values.ts";

export const REQUEST: readonly Column<RecentRequest>[] = [
  { name: "at", text: ({ at }) => instant(at) },
  { name: "request_id", text: ({ requestId }) => requestId },
  { name: "key_id", text: ({ keyId }) => keyId },
  { name: "user_id", text: ({ userId }) => userId, shrinks: true },
  { name: "address", text: ({ address }) => address },
  { name: "rpc", text: ({ rpc }) => rpc, shrinks: true },
  { name: "scope", text: ({ scope }) => scope },
  { name: "verdict", text: ({ verdict }) => verdict, tone: ({ verdict }) => (verdict === "admitted" ? "good" : "bad") },
  { name: "reason", text: ({ reason }) => reason },
];

/** A request with the checks that it came to. Only the operator sees `tenant_id`. */
export const EXPLANATION: readonly Column<RequestExplanation>[] = [
  { name: "tenant_id", text: ({ request }) => request?.tenantId ?? "" },
  { name: "caller", text: ({ request }) => request?.caller ?? "" },
  ...REQUEST.map(({ name, text, tone }) => ({
    name,
    text: ({ request }: RequestExplanation) => (request === undefined ? "" : text(request)),
    tone: ({ request }: RequestExplanation) => (request === undefined ? undefined : tone?.(request)),
  })),
  { name: "passed", text: ({ steps }) => namesOf(steps.filter(({ passed }) => passed)), tone: () => "good" },
  { name: "failed", text: ({ steps }) => namesOf(steps.filter(({ passed }) => !passed)), tone: () => "bad" },
  { name: "message", text: ({ steps }) => steps.find(({ passed }) => !passed)?.detail ?? "" },
  { name: "remedy", text: ({ remedy }) => remedy },
  { name: "documentation", text: ({ documentation }) => documentation },
];

function namesOf(steps: RequestExplanation["steps"]): string {
  return steps.map(({ name }) => name).join(",");
}
