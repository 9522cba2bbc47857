import { fromJson, type JsonObject, type JsonValue } from "@bufbuild/protobuf";
import { type Command, Option } from "commander";
import {
  CreateFederationRuleRequestSchema,
  FederationRuleStatus,
  UpdateFederationRuleRequestSchema,
} from "../../../clients/typescript/src/index.ts";
import { CHECK } from "../columns/keys.ts";
import { RULE } from "../columns/tokens.ts";
import { addCommand, addGroup, type Surroundings } from "../command.ts";
import { EXIT_STATUS, UsageError } from "../exit-status.ts";
import { readText, secretIn } from "../input/secret-source.ts";

const STATUSES = { enabled: FederationRuleStatus.ENABLED, disabled: FederationRuleStatus.DISABLED };
const RULE_FILE = "JSON of the rule as the API has it, `-` for stdin";

/** `latchkey federation`: which workloads get tokens without any stored secret. */
export function addFederation(program: Command, around: Surroundings): void {
  const federation = addGroup(program, "federation", "rules by which workloads get tokens without a stored secret");
  addRules(federation, around);
  addChanges(federation, around);
  addCheck(federation, around);
}

interface FileOptions {
  readonly ruleFile?: string;
}

function addRules(federation: Command, around: Surroundings): void {
  addCommand<FileOptions>(federation, "create", "add a rule", around, async (run) => {
    const { ruleFile } = run.options;
    if (ruleFile === undefined) throw new UsageError("give the rule by --rule-file");
    const request = parsed(() => fromJson(CreateFederationRuleRequestSchema, readRule(ruleFile)));
    const client = await run.client("user");
    const response = await client.federation.createFederationRule(request);
    run.item(response, response.result, RULE);
  }).option("--rule-file <path>", RULE_FILE);
  addCommand(federation, "list", "list the rules, the oldest first", around, async (run) => {
    const client = await run.client("user");
    const response = await client.federation.listFederationRules({});
    run.list(response, response.rules, RULE);
  });
  addCommand(federation, "get <rule_id>", "show a rule", around, async (run) => {
    const [ruleId = ""] = run.args;
    const client = await run.client("user");
    const response = await client.federation.getFederationRule({ ruleId });
    run.item(response, response.result, RULE);
  });
}

interface UpdateOptions extends FileOptions {
  readonly status?: keyof typeof STATUSES;
}

function addChanges(federation: Command, around: Surroundings): void {
  const update = "change the members of a rule that the file has; disable or enable it";
  addCommand<UpdateOptions>(federation, "update <rule_id>", update, around, async (run) => {
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
  const remove = "remove a rule; its tokens end with it";
  addCommand(federation, "delete <rule_id>", remove, around, async (run) => {
    const [ruleId = ""] = run.args;
    const client = await run.client("user");
    const response = await client.federation.deleteFederationRule({ ruleId });
    run.show(response, `Deleted ${ruleId}.`);
  });
}

function addCheck(federation: Command, around: Surroundings): void {
  const checks = "check a workload's token by a rule, step by step; issues nothing";
  addCommand<{ readonly assertionFile?: string }>(federation, "check <rule_id>", checks, around, async (run) => {
    const [ruleId = ""] = run.args;
    const { assertionFile } = run.options;
    if (assertionFile === undefined) throw new UsageError("give the workload's token by --assertion-file");
    const assertion = secretIn(assertionFile, "--assertion-file");
    const client = await run.client("user");
    const response = await client.federation.checkFederationAssertion({ ruleId, assertion });
    run.list(response, response.steps, CHECK);
    if (!response.passed) process.exitCode = EXIT_STATUS.failed;
  }).option("--assertion-file <path>", "file with the workload's token, `-` for stdin");
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
