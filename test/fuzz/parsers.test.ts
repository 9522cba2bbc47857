import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

/** Of all parsers together. Few where nothing else is said; `npm run test:fuzz` takes 300. */
const SECONDS = Number(process.env.FUZZ_SECONDS ?? 16);
const MAIN = fileURLToPath(new URL("parsers/main.ts", import.meta.url));

interface Explored {
  readonly name: string;
  readonly seed: number;
  readonly inputs: number;
  readonly branches: number;
  readonly kept: number;
  readonly findings: readonly object[];
}

test(
  "no parser of bytes from strangers fails with what is not documented, or takes long",
  async () => {
    // One that does not return is killed; the last line on stderr names it.
    const timeout = SECONDS * 1_000 + 300_000;
    const { stdout } = await promisify(execFile)(process.execPath, [MAIN, "--seconds", String(SECONDS)], { timeout });
    const lines = stdout.split("\n").filter((line) => line !== "");
    const explored: Explored[] = lines.map((line) => JSON.parse(line));
    console.log(
      explored
        .map(
          ({ name, inputs, branches, kept }) =>
            `${name.padEnd(14)} ${inputs} inputs, ${branches} branches, ${kept} kept`,
        )
        .join("\n"),
    );
    expect(explored.filter(({ findings }) => findings.length > 0)).toEqual([]);
  },
  SECONDS * 1_000 + 400_000,
);
