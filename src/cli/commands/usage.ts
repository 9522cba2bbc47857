import { type Command, Option } from "commander";
import { timestampFromDate, usageSteps } from "../../../clients/typescript/src/index.ts";
import { STEP, TOP_KEY, USAGE } from "../columns/usage.ts";
import { addCommand, addGroup, type Surroundings } from "../command.ts";
import { parsePast } from "../input/instant.ts";
import { wholeNumber } from "../input/whole-number.ts";
import type { KeyCaller } from "./key-calls.ts";

interface PeriodOptions {
  readonly from?: Date;
  readonly to?: Date;
}

interface SeriesOptions extends PeriodOptions {
  readonly step?: string;
}

/** `latchkey usage`: the uses of all keys of the tenant. */
export function addUsage(program: Command, around: Surroundings): void {
  const usage = addGroup(program, "usage", "uses of all keys of your tenant");
  const series = addCommand<SeriesOptions>(usage, "series", "count uses by the hour or day", around, async (run) => {
    const client = await run.client("user");
    const response = await client.usage.getUsage(seriesOf(run.options));
    run.list(response, response.series, STEP);
  });
  withStep(withPeriod(series));
  const top = addCommand<PeriodOptions & { perPage?: number }>(
    usage,
    "top",
    "list the most used keys",
    around,
    async (run) => {
      const client = await run.client("user");
      const response = await client.usage.listTopKeys({ ...periodOf(run.options), perPage: run.options.perPage ?? 0 });
      run.list(response, response.keys, TOP_KEY);
    },
  );
  withPeriod(top).option("--per-page <number>", "most keys, at most 100 (default: 10)", wholeNumber(1, 100));
}

/** `keys usage`: the uses of one key. */
export function addKeyUsage(keys: Command, around: Surroundings, callsOf: KeyCaller): Command {
  const description = "show how often a key was presented; with a period, by the hour or day";
  const command = addCommand<SeriesOptions>(keys, "usage <key_id>", description, around, async (run) => {
    const [keyId = ""] = run.args;
    const calls = await callsOf(run);
    const response = await calls.usage({ keyId, ...seriesOf(run.options) });
    if (response.series === undefined) run.item(response, response.result, USAGE);
    else run.list(response, usageSteps(response.series), STEP);
  });
  return withStep(withPeriod(command));
}

function withPeriod(command: Command): Command {
  return command
    .option("--from <instant>", "such as 2030-01-31T12:00:00Z, or 24h for 24 hours ago", (text) => parsePast(text))
    .option("--to <instant>", "in the same form (default: now)", (text) => parsePast(text));
}

function withStep(command: Command): Command {
  return command.addOption(new Option("--step <step>", "length of a step (default: hour)").choices(["hour", "day"]));
}

function periodOf({ from, to }: PeriodOptions) {
  return {
    ...(from !== undefined && { from: timestampFromDate(from) }),
    ...(to !== undefined && { to: timestampFromDate(to) }),
  };
}

function seriesOf(options: SeriesOptions) {
  return { ...periodOf(options), ...(options.step !== undefined && { step: options.step }) };
}
