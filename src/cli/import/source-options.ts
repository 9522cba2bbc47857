import { type Command, Option } from "commander";
import { parsePast } from "../input/instant.ts";
import { readText } from "../input/secret-source.ts";
import { Findings } from "./findings.ts";
import type { PlainKeys } from "./imported-secret.ts";
import { openInput } from "./input-file.ts";
import type { ReadRow } from "./read-result.ts";
import { readRows } from "./read-rows.ts";
import { parseScopeMap } from "./scope-map.ts";
import { SOURCES } from "./sources.ts";

/** Options of the commands that read the keys of another system. */
export interface SourceOptions {
  readonly from: keyof typeof SOURCES;
  readonly map?: string;
  readonly keyFormat?: string;
  readonly exportedAt?: Date;
  readonly tenant?: string;
}

export function addSourceOptions(command: Command): Command {
  return command
    .addOption(
      new Option("--from <source>", "the system that wrote the file")
        .choices(Object.keys(SOURCES))
        .makeOptionMandatory(),
    )
    .option("--map <path>", "file with the scopes, and the tenants, that those of the source are here")
    .option("--key-format <text>", "key format of the keys that name none")
    .option("--exported-at <instant>", "when the file was exported (default: when it was last changed)", parsePast)
    .option("--tenant <tenant_id>", "as the operator: tenant of the keys that name none");
}

/** The keys of a file, and what was found in it when all were read. Throws `UsageError`. */
export async function openSource(path: string, options: SourceOptions) {
  const { from, keyFormat, tenant, map } = options;
  const scopeMap = parseScopeMap(map === undefined ? "{}" : readText(map, "--map"));
  const { pieces, changedAt } = await openInput(path);
  const findings = new Findings();
  const exportedAt = options.exportedAt ?? changedAt;
  const common = { source: SOURCES[from], keyFormat, tenant, map: scopeMap, exportedAt };
  return {
    findings,
    rows: (plainKeys: PlainKeys): AsyncIterable<ReadRow> => readRows(pieces, { ...common, plainKeys }, findings),
  };
}
