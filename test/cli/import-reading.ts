import { createReadStream } from "node:fs";
import { fileURLToPath } from "node:url";
import { Findings } from "../../src/cli/import/findings.ts";
import type { ReadRow } from "../../src/cli/import/read-result.ts";
import { type ReadOptions, readRows } from "../../src/cli/import/read-rows.ts";
import { parseScopeMap } from "../../src/cli/import/scope-map.ts";
import { SOURCES } from "../../src/cli/import/sources.ts";
import { compileFormats } from "../../src/domain/key-formats/compiled.ts";
import type { KeyFormat } from "../../src/domain/key-formats/key-format.ts";

type Given = Partial<Omit<ReadOptions, "source">>;

/** For exports whose keys have no scopes. */
const MAP = parseScopeMap('{"without_scopes":["files:read"]}');

/** What every key of the fixtures fits. */
const ANY: KeyFormat = {
  ...{ name: "any", prefix: "", lengthMin: 16, lengthMax: 512, alphabet: "VISIBLE", case: "AS_SENT" },
  ...{ algorithm: "SHA256", pepper: "", pepperFingerprint: "", hashedPart: "WHOLE", separator: "" },
  ...{ isBearer: false, tenants: [], createdAt: new Date(0) },
};

/** The formats of a service that has these, beside or in place of the one that fits any key. */
export const formatsOf = (...formats: readonly Partial<KeyFormat>[]) =>
  compileFormats({ formats: formats.map((format) => ({ ...ANY, ...format })) }, new Map());

export function optionsFor(from: keyof typeof SOURCES, given: Given = {}): ReadOptions {
  const plainKeys = { kind: "hash", formats: formatsOf({}) } as const;
  const keyFormat = from === "latchkey" ? undefined : "any";
  return {
    source: SOURCES[from],
    keyFormat,
    map: MAP,
    plainKeys,
    exportedAt: new Date("2026-11-29T08:00:00Z"),
    ...given,
  };
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
