import { type Command, Option } from "commander";
import { UsageError } from "../exit-status.ts";

const CLEARABLE = new WeakSet<Option>();

/** An option with which an empty text clears a field of a record. Its help says so. */
export function clearingOption(flags: string, description: string): Option {
  const option = new Option(flags, `${description}; empty clears it`);
  CLEARABLE.add(option);
  return option;
}

/**
 * Throws a `UsageError` for an option or an argument without a visible character, as an unset variable of a script leaves it:
 * `--allowed-ip "$UNSET"` would make a key for every address.
 */
export function refuseEmptyValues(command: Command): void {
  for (let at: Command | null = command; at !== null; at = at.parent) {
    for (const option of at.options) {
      const name = option.attributeName();
      const isGiven = at.getOptionValueSource(name) === "cli";
      if (isGiven && !CLEARABLE.has(option) && isEmpty(at.getOptionValue(name)))
        throw new UsageError(`${option.long ?? option.flags} is empty; give it a value, or leave it out`);
    }
  }
  const index = command.args.findIndex(isEmpty);
  const argument = command.registeredArguments[index];
  if (argument !== undefined) throw new UsageError(`<${argument.name()}> is empty; give it a value`);
}

/** Of a list its texts, without the empty ones, are the value. */
function isEmpty(value: unknown): boolean {
  return typeof value === "string" ? value.trim() === "" : Array.isArray(value) && value.length === 0;
}
