import type { Command } from "commander";
import { addCommand, type Surroundings } from "../command.ts";
import { memberOptions } from "../rpc/member-options.ts";
import type { RpcRun } from "../rpc/present.ts";
import { membersOf } from "../rpc/request.ts";
import { rpcOf } from "../rpc/services.ts";
import { groupOf } from "./groups.ts";

const RPC = "WebhookService.RedeliverWebhookEvents";

/** `latchkey webhooks redeliver`: all pages of it. */
export function addRedeliver(program: Command, around: Surroundings): void {
  const options = memberOptions(rpcOf(RPC).method, ["page_token"]);
  const help = "send one event again, or all of a webhook since an instant";
  const command = addCommand(groupOf(program, ["webhooks"]), "redeliver", help, around, async (run: RpcRun) => {
    const client = await run.client("user");
    let redelivered = 0;
    let pageToken = "";
    do {
      const page = await client.webhooks.redeliverWebhookEvents({ ...membersOf(options, run.options), pageToken });
      redelivered += page.redelivered;
      pageToken = page.nextPageToken;
    } while (pageToken !== "");
    run.show({ redelivered }, `Sending ${redelivered} again.`);
  });
  for (const { option } of options) command.addOption(option);
}
