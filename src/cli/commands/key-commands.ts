import type { Command } from "commander";
import { KEY } from "../columns/keys.ts";
import { addCommand, type Surroundings } from "../command.ts";
import { wholeNumber } from "../input/whole-number.ts";
import type { KeyCaller } from "./key-calls.ts";
import { addKeyList } from "./key-list.ts";
import { addKeyUpdate } from "./key-update.ts";
import { issue, type RequestIdOption, requestIdOf, withRequestId } from "./request-id.ts";
import { addKeyUsage } from "./usage.ts";

const GRACE_HOURS_MAX = 720;

/** What a tenant's users do with its keys, and the operator with those of any tenant. Returns the commands, to add options. */
export function addKeyCommands(keys: Command, around: Surroundings, callsOf: KeyCaller): readonly Command[] {
  return [addKeyList, addGet, addKeyUsage, addKeyUpdate, addRotate].map((add) => add(keys, around, callsOf));
}

function addGet(keys: Command, around: Surroundings, callsOf: KeyCaller): Command {
  return addCommand(keys, "get <key_id>", "show a key", around, async (run) => {
    const [keyId = ""] = run.args;
    const calls = await callsOf(run);
    const response = await calls.get({ keyId });
    run.item(response, response.result, KEY);
  });
}

function addRotate(keys: Command, around: Surroundings, callsOf: KeyCaller): Command {
  const description = "make the successor of a secret key; stdout has its value, once";
  type Options = RequestIdOption & { graceHours?: number };
  const command = addCommand<Options>(keys, "rotate <key_id>", description, around, async (run) => {
    const [keyId = ""] = run.args;
    const { graceHours: gracePeriodHours } = run.options;
    const calls = await callsOf(run);
    const response = await calls.rotate({
      keyId,
      ...(gracePeriodHours !== undefined && { gracePeriodHours }),
      ...requestIdOf(run.options),
    });
    const { result } = response;
    if (result !== undefined) issue(run, response, result);
  });
  return withRequestId(command).option(
    "--grace-hours <number>",
    "for how long the old key works, too (default: 24)",
    wholeNumber(0, GRACE_HOURS_MAX),
  );
}
