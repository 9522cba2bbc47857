import { fromJson, type JsonObject, type JsonValue } from "@bufbuild/protobuf";
import { type Command, Option } from "commander";
import {
  CreateFederationRuleRequestSchema,
  FederationRuleSchema,
  FederationRuleStatus,
  UpdateFederationRuleRequestSchema,
} from "../../../clients/typescript/src/index.ts";
import { addCommand, type Surroundings } from "../command.ts";
import { UsageError } from "../exit-status.ts";
import { readText } from "../input/secret-source.ts";
import { columnsOf } from "../rpc/columns.ts";
import { groupOf } from "./groups.ts";

const STATUSES = { enabled: FederationRuleStatus.ENABLED, disabled: FederationRuleStatus.DISABLED };
const RULE = columnsOf(FederationRuleSchema);
const RULE_FILE = "JSON of the rule as the API has it, `-` for stdin";

interface RuleOptions {
  readonly ruleFile?: string;
  readonly status?: keyof typeof STATUSES;
}

/** `latchkey federation create` and `update`, which take a rule from a file. */
export function addFederation(program: Command, around: Surroundings): void {
  const federation = groupOf(program, ["federation"]);
  addCommand<RuleOptions>(federation, "create", "add a rule", around, async (run) => {
    const { ruleFile } = run.options;
    if (ruleFile === undefined) throw new UsageError("give the rule by --rule-file");
    const request = parsed(() => fromJson(CreateFederationRuleRequestSchema, readRule(ruleFile)));
    const client = await run.client("user");
    const response = await client.federation.createFederationRule(request);
    run.item(response, response.result, RULE);
  }).option("--rule-file <path>", RULE_FILE);
  const update = "change the members of a rule that the file has; disable or enable it";
  addCommand<RuleOptions>(federation, "update <rule_id>", update, around, async (run) => {
    const [ruleId = ""] = run.args;
    const { ruleFile, status } = run.options;
    if (ruleFile === undefined && status === undefined)
      throw new UsageError("nothing to change: give --rule-file or --status");
    const members = ruleFile === undefined ? {} : readRule(ruleFile);
    const mask = [...Object.keys(members), ...(status === undefined ? [] : ["status"])].join(",");
    const values = parsed(() => fromJson(UpdateFederationRuleRequestSchema, members));
    const client = await run.client("user");
    const response = await client.federation.updateFederationRule({
      ...{ ...values, ruleId, updateMask: mask },
      ...(status !== undefined && { status: STATUSES[status] }),
    });
    run.item(response, response.result, RULE);
  })
    .option("--rule-file <path>", RULE_FILE)
    .addOption(new Option("--status <status>", "disable or enable").choices(Object.keys(STATUSES)));
}

function readRule(path: string): JsonObject {
  const value: JsonValue = parsed(() => JSON.parse(readText(path, "--rule-file")));
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [spelt(name), member]));
  }
  throw new UsageError("--rule-file must have a JSON object");
}

/** A member in camelCase as protojson knows it. */
function spelt(name: string): string {
  return UpdateFederationRuleRequestSchema.fields.find(({ localName }) => localName === name)?.jsonName ?? name;
}

function parsed<T>(read: () => T): T {
  try {
    return read();
  } catch (err) {
    if (err instanceof UsageError) throw err;
    const reason = err instanceof Error ? err.message : String(err);
    throw new UsageError(`--rule-file is not the JSON of a rule, such as {"name":"…","issuer":"…"}: ${reason}`);
  }
}
