import type { Command } from "commander";
import { CALLER, SCOPE } from "../columns/access.ts";
import { addCommand, type Surroundings } from "../command.ts";
import { listed } from "../input/list.ts";

/** `latchkey whoami` and `latchkey scopes`. */
export function addAccess(program: Command, around: Surroundings): void {
  const whoami = "show the caller that your credentials stand for; spends one request of a key's limit";
  addCommand<{ scope?: readonly string[] }>(program, "whoami", whoami, around, async (run) => {
    const { scope } = run.options;
    const client = await run.client("any");
    const response = await client.auth.verify({
      tenantOptional: true,
      ...(scope !== undefined && { scopes: [...scope] }),
    });
    run.item(response, response, CALLER);
  }).option("--scope <scope>", "fail unless the caller has it; may be repeated, or several with commas", listed);
  addCommand(program, "scopes", "list all scopes", around, async (run) => {
    const client = await run.client("any");
    const response = await client.scopes.listScopes({});
    run.list(response, response.scopes, SCOPE);
  });
}
