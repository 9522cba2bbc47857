import type { Command } from "commander";
import type { AuditEvent } from "../../../clients/typescript/src/index.ts";
import { addCommand, type Surroundings } from "../command.ts";
import type { Column } from "../output/column.ts";
import { instant } from "../output/values.ts";
import { memberOptions } from "../rpc/member-options.ts";
import { noteNextPage, type RpcRun } from "../rpc/present.ts";
import { membersOf } from "../rpc/request.ts";
import { rpcOf } from "../rpc/services.ts";
import { groupOf } from "./groups.ts";

/** A change that was lost, as the event says that the service made of it. */
const LOST: readonly Column<AuditEvent>[] = [
  { name: "tenant_id", text: ({ tenantId = "" }) => tenantId },
  { name: "change", text: lostAction },
  { name: "target_id", text: ({ targetId }) => targetId },
  { name: "request_id", text: ({ requestId }) => requestId },
  { name: "listed_at", text: ({ at }) => instant(at) },
];
const FILTERS = ["to", "tenant_id", "actor_id", "action", "target_id", "request_id"];

/** `latchkey operator lost`: what PostgreSQL lost in a failover and nothing can make again. */
export function addLost(program: Command, around: Surroundings): void {
  const description =
    "list changes that a failover of PostgreSQL lost and that Latchkey cannot repeat, such as new keys";
  const options = memberOptions(rpcOf("OperatorService.ListTenantsEvents").method, FILTERS);
  const command = addCommand(groupOf(program, ["operator"]), "lost", description, around, async (run: RpcRun) => {
    const client = await run.client("operator");
    const request = { ...membersOf(options, run.options), action: "change.lost" };
    const response = await client.operator.listTenantsEvents(request);
    run.list(response, response.events, LOST);
    noteNextPage(run, response);
  });
  for (const { option } of options) command.addOption(option);
}

function lostAction({ changes }: AuditEvent): string {
  const { kind } = changes.action?.old ?? {};
  return kind?.case === "stringValue" ? kind.value : "";
}
