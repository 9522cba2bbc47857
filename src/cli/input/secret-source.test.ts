// promise: cli.secrets
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readSecret } from "./secret-source.ts";

let dir: string;
let file: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "latchkey-secret-"));
  file = join(dir, "secret");
  await writeFile(file, "of the file\n");
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const VARIABLES = ["FIRST", "SECOND"];
const OPTION = "--token-file";

test("a file that is named as an option outranks the environment", () => {
  expect(readSecret({ FIRST: "of the variable" }, { file, option: OPTION, variables: VARIABLES })).toEqual({
    secret: "of the file",
    from: OPTION,
  });
});

test("of the variables the first that is set counts, by itself or by its file", () => {
  expect(readSecret({ SECOND: "second" }, { file: undefined, option: OPTION, variables: VARIABLES })).toEqual({
    secret: "second",
    from: "SECOND",
  });
  expect(
    readSecret({ FIRST_FILE: file, SECOND: "second" }, { file: undefined, option: OPTION, variables: VARIABLES }),
  ).toEqual({ secret: "of the file", from: "FIRST_FILE" });
  expect(
    readSecret({ FIRST: " ", SECOND: "" }, { file: undefined, option: OPTION, variables: VARIABLES }),
  ).toBeUndefined();
});

test("a file that is missing or empty is an error that names where it was named", async () => {
  const empty = join(dir, "empty");
  await writeFile(empty, "\n");
  expect(() => readSecret({ FIRST_FILE: empty }, { file: undefined, option: OPTION, variables: VARIABLES })).toThrow(
    "FIRST_FILE is empty",
  );
  const missing = { file: join(dir, "missing"), option: OPTION, variables: VARIABLES };
  expect(() => readSecret({}, missing)).toThrow(/^--token-file cannot be read \(ENOENT\)$/);
});
