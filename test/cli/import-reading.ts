import { createReadStream } from "node:fs";
import { fileURLToPath } from "node:url";
import { Findings } from "../../src/cli/import/findings.ts";
import type { ReadRow } from "../../src/cli/import/read-result.ts";
import { type ReadOptions, readRows } from "../../src/cli/import/read-rows.ts";
import { parseScopeMap } from "../../src/cli/import/scope-map.ts";
import { SOURCES } from "../../src/cli/import/sources.ts";

type Given = Partial<Omit<ReadOptions, "source">>;

/** For exports whose keys have no scopes. */
const MAP = parseScopeMap('{"without_scopes":["files:read"]}');

export function optionsFor(from: keyof typeof SOURCES, given: Given = {}): ReadOptions {
  const plainKeys = { send: false, algorithm: "SHA256" } as const;
  return { source: SOURCES[from], map: MAP, plainKeys, exportedAt: new Date("2026-11-29T08:00:00Z"), ...given };
}

/** All of a file's rows and problems, and the findings. */
export async function readAll(chunks: AsyncIterable<Uint8Array>, from: keyof typeof SOURCES, given: Given = {}) {
  const findings = new Findings();
  const read: ReadRow[] = [];
  for await (const each of readRows(chunks, optionsFor(from, given), findings)) read.push(each);
  return { read, findings };
}

export function fixture(name: string): AsyncIterable<Uint8Array> {
  return createReadStream(fileURLToPath(new URL(`fixtures/import/${name}`, import.meta.url)));
}
