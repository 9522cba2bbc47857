import type { Command } from "commander";
import { ExplanationStepSchema, VerifyResponseSchema } from "../../../clients/typescript/src/index.ts";
import { addCommand, type Surroundings } from "../command.ts";
import { listed } from "../input/list.ts";
import { columnsOf } from "../rpc/columns.ts";
import { groupOf } from "./groups.ts";

interface ScopeOption {
  readonly scope?: readonly string[];
}

const SEVERAL = "may be repeated, or several with commas";

/** `latchkey whoami` and `latchkey keys explain`, which are both Verify. */
export function addAccess(program: Command, around: Surroundings): void {
  const whoami = "show the caller that your credentials stand for; spends one request of a key's limit";
  addCommand<ScopeOption>(program, "whoami", whoami, around, async (run) => {
    const client = await run.client("any");
    const response = await client.auth.verify({ tenantOptional: true, ...scopesOf(run.options) });
    run.item(
      response,
      response,
      columnsOf(VerifyResponseSchema).filter(({ onlyInRecord }) => !onlyInRecord),
    );
  }).option("--scope <scope>", `fail unless the caller has it; ${SEVERAL}`, listed);
  const explain = "show how a request with a key would be decided now, and why; spends nothing";
  addCommand<ScopeOption>(groupOf(program, ["keys"]), "explain <key_id>", explain, around, async (run) => {
    const [keyId = ""] = run.args;
    const client = await run.client("user");
    const response = await client.auth.verify({ explain: true, keyId, ...scopesOf(run.options) });
    const { allowed = false, denialReason = "", steps = [] } = response.explanation ?? {};
    run.list(response, steps, columnsOf(ExplanationStepSchema));
    run.note(allowed ? "The key would be admitted." : `The key would be denied: ${denialReason}`);
  }).option("--scope <scope>", `scope that the request needs; ${SEVERAL}`, listed);
}

function scopesOf({ scope }: ScopeOption) {
  return scope === undefined ? {} : { scopes: [...scope] };
}
