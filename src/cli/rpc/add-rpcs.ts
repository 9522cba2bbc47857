import type { DescMethod } from "@bufbuild/protobuf";
import type { Command } from "commander";
import { addCommand, type Surroundings } from "../command.ts";
import { groupOf } from "../commands/groups.ts";
import { EXIT_STATUS } from "../exit-status.ts";
import { EXCEPTIONS, type Exception, WITHOUT_COMMAND } from "./exceptions.ts";
import { memberOptions, withoutBackticks } from "./member-options.ts";
import { present, type RpcRun, secretOf } from "./present.ts";
import { membersOf } from "./request.ts";
import { factsOf, RPCS, type Rpc, rpcOf } from "./services.ts";

/** Adds a command for each RPC: its words are the path's, its options the request's members. */
export function addRpcs(program: Command, around: Surroundings): void {
  for (const rpc of RPCS)
    if (WITHOUT_COMMAND[rpc.name] === undefined) addRpc(program, rpc, EXCEPTIONS[rpc.name] ?? {}, around);
}

function addRpc(program: Command, { name, method }: Rpc, exception: Exception, around: Surroundings): void {
  const { path = "", ...facts } = factsOf(name);
  const help = withoutBackticks(exception.help ?? facts.help);
  const words = (exception.words ?? wordsOf(path)).split(" ");
  const args = exception.args ?? argsOf(method, path);
  const options = memberOptions(method, [...Object.values(args), ...(exception.without ?? [])]);
  const secret = secretOf(method.output);
  const command = addCommand(
    groupOf(program, words.slice(0, -1)),
    [words.at(-1), ...Object.keys(args)].join(" "),
    secret === undefined ? help : `${help}; stdout has the ${secret.name}, once`,
    around,
    async (run: RpcRun) => {
      const request = {
        ...{ ...exception.defaults, ...exception.members?.(run) },
        ...{ ...argumentsOf(method, Object.values(args), run.args), ...membersOf(options, run.options) },
      };
      const rpc = rpcOf(exception.redirect?.(run) ?? name);
      const response = await rpc.call(await run.client(rpc.kind), request);
      if (exception.present) exception.present(run, rpc, response);
      else present(run, rpc, response, exception.advice);
      if (exception.fails?.(response)) process.exitCode = EXIT_STATUS.failed;
    },
  );
  for (const { field, option } of options) {
    const own: unknown = exception.defaults?.[field.localName];
    if (own !== undefined) option.makeOptionMandatory(false).description += ` (default: ${own})`;
    command.addOption(option);
  }
  for (const option of exception.options ?? []) command.addOption(option);
}

/** `api-keys/policy/get` as `keys policy get`. */
function wordsOf(path: string): string {
  return path.replace("api-keys/", "keys/").replace("federation/rules/", "federation/").replaceAll("/", " ");
}

function argumentsOf({ input }: DescMethod, names: readonly string[], given: readonly string[]): object {
  const members = input.fields.filter((field) => names.includes(field.name));
  const named = members.map(({ name, localName }) => [localName, given[names.indexOf(name)]]);
  return Object.fromEntries(named.filter(([, value]) => value !== undefined));
}

/** The identifiers that the call cannot do without are arguments; of keys of a tenant, the tenant is an option. */
function argsOf(method: DescMethod, path: string): Readonly<Record<string, string>> {
  const names = method.input.fields
    .map(({ name }) => name)
    .filter((name) => name.endsWith("_id") && factsOf(`${method.input.name}.${name}`).required)
    .filter((name) => name !== "tenant_id" || path.includes("tenants/"));
  return Object.fromEntries(names.map((name) => [`<${name}>`, name]));
}
