import { chmod, cp, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Callers, needs, output, startCallers } from "./callers.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
/** As the README of examples/kotlin names them. */
const PROTOC = "com.google.protobuf:protoc:4.32.1:exe:linux-x86_64";
const PLUGIN = "com.connectrpc:protoc-gen-connect-kotlin:0.7.4";

let callers: Callers;
let dir: string;
beforeAll(async () => {
  const advice = "The tests of the Kotlin example need Java 17 or later and Maven on Linux with x86-64: install both.";
  await needs(advice, "java", "-version");
  await needs(advice, "mvn", "-v");
  dir = await mkdtemp(join(tmpdir(), "latchkey-kotlin-"));
  callers = await startCallers();
});
afterAll(async () => {
  await callers?.close();
  await rm(dir, { recursive: true, force: true });
});

const mvn = (args: readonly string[], cwd: string) => output("mvn", ["-q", "-B", ...args], { cwd, env: callers.env });

test("the example is generated, compiled by Kotlin, and calls the service as an app's user", async () => {
  const bin = join(dir, "bin");
  for (const artifact of [PROTOC, PLUGIN])
    await mvn(["dependency:copy", `-Dartifact=${artifact}`, `-DoutputDirectory=${bin}`], dir);
  const plugin = join(bin, "protoc-gen-connect-kotlin");
  await rename(join(bin, "protoc-4.32.1-linux-x86_64.exe"), join(bin, "protoc"));
  await writeFile(plugin, `#!/bin/sh\nexec java -jar ${plugin}-0.7.4.jar\n`);
  for (const program of [plugin, join(bin, "protoc")]) await chmod(program, 0o755);

  await output("buf", ["generate", "--template", "buf.gen.kotlin.yaml", "-o", dir], {
    cwd: ROOT,
    env: { PATH: `${bin}${delimiter}${process.env.PATH}` },
  });
  const example = join(dir, "examples/kotlin");
  for (const part of ["pom.xml", "src"])
    await cp(join(ROOT, "examples/kotlin", part), join(example, part), { recursive: true });
  expect(await mvn(["compile", "exec:java"], example)).toContain("Hi\ndenied: true\n");
}, 600_000);
