#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { createFileRegistry, type FileRegistry, fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { widenings } from "../policy/widening.ts";

const USAGE = `usage: latchkey-policy --against <baseline> <current>

Compares the (latchkey.v1.policy) of each RPC in two images, as "buf build -o" makes them, and fails with status 1 if one
admits callers that the baseline refuses. A current image "-" is read from the standard input.
`;

process.exitCode = main();

function main(): 0 | 1 | 2 {
  let found: readonly string[];
  try {
    const { values, positionals } = parseArgs({ options: { against: { type: "string" } }, allowPositionals: true });
    const [current, more] = positionals;
    if (values.against === undefined || current === undefined || more !== undefined) return fail(USAGE);
    found = widenings(imageAt(values.against), imageAt(current));
  } catch (err) {
    return fail(`${err instanceof Error ? err.message : err}\n\n${USAGE}`);
  }
  if (found.length === 0) return 0;
  const remedy = "If this is meant, build the baseline again and have its change reviewed.";
  process.stderr.write(`Policies became wider:\n${found.map((one) => `  ${one}\n`).join("")}${remedy}\n`);
  return 1;
}

function imageAt(path: string): FileRegistry {
  const bytes = readFileSync(path === "-" ? 0 : path);
  // What a failed build leaves in a pipe.
  if (bytes.length === 0) throw new Error(`${path} is empty`);
  try {
    return createFileRegistry(fromBinary(FileDescriptorSetSchema, bytes));
  } catch (err) {
    throw new Error(`${path} is not an image of buf: ${err instanceof Error ? err.message : err}`);
  }
}

function fail(text: string): 2 {
  process.stderr.write(text);
  return 2;
}
