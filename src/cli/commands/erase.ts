import type { Command } from "commander";
import type { Erasure, LatchkeyClient } from "../../../clients/typescript/src/index.ts";
import { ERASURE } from "../columns/erasures.ts";
import { addCommand, addGroup, type Surroundings } from "../command.ts";

interface EraseOptions {
  readonly tenant?: string;
  readonly issuer?: string;
}

/** Adds the commands that erase tenants and users. Both need `--yes`: what they remove is in backups alone afterwards. */
export function addErasures(operator: Command, tenants: Command, around: Surroundings): void {
  addErase(tenants, "erase <tenant_id>", "remove all that is stored of a tenant, for ever", around, (api, tenantId) =>
    api.eraseTenant({ tenantId }),
  );
  const users = addGroup(operator, "users", "users of tenants");
  addErase(users, "erase <user_id>", "remove what is stored of a user of a tenant", around, (api, userId, options) =>
    api.eraseUser({
      userId,
      tenantId: options.tenant ?? "",
      ...(options.issuer !== undefined && { issuer: options.issuer }),
    }),
  )
    .requiredOption("--tenant <tenant_id>", "tenant of the user")
    .option("--issuer <url>", "issuer of the user's tokens (default: every one)");
}

function addErase(
  group: Command,
  name: string,
  description: string,
  around: Surroundings,
  erase: (
    api: LatchkeyClient["operator"],
    id: string,
    options: EraseOptions,
  ) => Promise<{ result?: Erasure | undefined }>,
): Command {
  return addCommand<EraseOptions>(group, name, description, around, async (run) => {
    const [id = ""] = run.args;
    const client = await run.client("operator");
    const response = await erase(client.operator, id, run.options);
    if (response.result?.finished === false)
      run.note("It goes on in the background; run the command again to see how far.");
    run.item(response, response.result, ERASURE);
  }).requiredOption("--yes", "it cannot be undone");
}
