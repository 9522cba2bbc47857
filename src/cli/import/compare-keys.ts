import { type ExportedKey, ExportedKeySchema, toJson } from "../../../clients/typescript/src/index.ts";
import type { CompiledFormats } from "../../domain/key-formats/compiled.ts";
import { isJsonObject } from "../../domain/vocabulary/json-object.ts";
import { type Differing, differing, factsOf, hasEnded, type KeyFacts } from "./comparison.ts";
import { Findings } from "./findings.ts";
import type { ImportRow } from "./import-row.ts";
import { identityOf } from "./imported-secret.ts";
import { Members } from "./members.ts";
import { type Problem, type ReadRow, RowProblem } from "./read-result.ts";
import { type ReadOptions, readRecord } from "./read-rows.ts";
import { parseScopeMap } from "./scope-map.ts";
import { latchkey } from "./sources/latchkey.ts";

/** A key of which the two systems say different things. `line`: in the other system's file. */
export type Difference =
  | { readonly difference: "unreadable"; readonly line: number; readonly problem: Problem }
  | { readonly difference: "missing_here"; readonly line: number; readonly there: KeyFacts }
  | ({ readonly difference: "only_here"; readonly here: KeyFacts } & Named)
  | ({ readonly difference: "differs"; readonly line: number; readonly members: Differing } & Named);

interface Named {
  readonly key_id: string;
  readonly tenant_id: string;
  readonly key_prefix: string;
}

interface KeyThere {
  readonly line: number;
  readonly facts: KeyFacts;
}

interface ComparedWith {
  readonly formats: CompiledFormats;
  readonly now: Date;
}

/**
 * Compares the keys of another system with all of this service. It holds the other system's, about 1 KiB each.
 *
 * A key that has ended in one system and is unknown to the other is not a difference: neither admits it. A key that only this
 * service has is one if it was imported, and its key format is one of the file's.
 */
export async function* compareKeys(
  there: AsyncIterable<ReadRow>,
  here: AsyncIterable<readonly ExportedKey[]>,
  { formats, now }: ComparedWith,
): AsyncGenerator<Difference> {
  const left = new Map<string, KeyThere>();
  const formatsThere = new Set<string>();
  for await (const { line, row, problem } of there) {
    const found = row === undefined ? problem : identified(row, formats);
    if (typeof found !== "string") yield { difference: "unreadable", line, problem: found };
    // Of a key that comes twice an import stores the first.
    else if (row !== undefined && !left.has(found)) {
      left.set(found, { line, facts: factsOf(row, now) });
      formatsThere.add(row.key_format ?? "");
    }
  }
  for await (const page of here)
    for (const exported of page) {
      const row = rowOf(exported);
      const identity = row && identified(row, formats);
      // A publishable key, or a key that has ended and whose format is gone.
      if (row === undefined || typeof identity !== "string") continue;
      const there = left.get(identity);
      const isImport = exported.key?.imported === true && formatsThere.has(row.key_format ?? "");
      const difference = there || isImport ? differenceOf(exported, there, factsOf(row, now)) : undefined;
      if (difference !== undefined) yield difference;
      left.delete(identity);
    }
  for (const { line, facts } of left.values())
    if (!hasEnded(facts)) yield { difference: "missing_here", line, there: facts };
}

function differenceOf({ key }: ExportedKey, there: KeyThere | undefined, here: KeyFacts): Difference | undefined {
  const { keyId = "", tenantId = "", keyPrefix = "" } = key ?? {};
  const named = { key_id: keyId, tenant_id: tenantId, key_prefix: keyPrefix };
  if (there === undefined) return hasEnded(here) ? undefined : { difference: "only_here", ...named, here };
  const members = differing(there.facts, here);
  if (Object.keys(members).length === 0) return undefined;
  return { difference: "differs", line: there.line, ...named, members };
}

function identified(row: ImportRow, formats: CompiledFormats): string | Problem {
  try {
    return identityOf(row, formats);
  } catch (err) {
    if (err instanceof RowProblem) return { member: err.member, message: err.message };
    throw err;
  }
}

const AS_EXPORTED: ReadOptions = {
  source: latchkey,
  map: parseScopeMap("{}"),
  plainKeys: { kind: "hash", formats: undefined },
  exportedAt: new Date(0),
};

/** As an import of the export would read it. */
function rowOf(exported: ExportedKey): ImportRow | undefined {
  const json = toJson(ExportedKeySchema, exported);
  const [read] = readRecord(0, Members.of(isJsonObject(json) ? json : {}), AS_EXPORTED, new Findings());
  return read?.row;
}
