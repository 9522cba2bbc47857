// promise: clients.user-agent, clients.wrong-host, clients.swift
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DenialReason } from "../../gen/latchkey/v1/denial_pb.ts";
import { blocksOf, consoleSnippets, output } from "./callers.ts";
import { type SwiftCallers, startSwiftCallers } from "./swift-callers.ts";
import { installSwift, type Swift } from "./swift-toolchain.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const { version } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
const PACKAGES = ["clients/swift", "examples/swift/chat"] as const;
/** The compiler writes elsewhere: a developer's own `.build` is for another path, and perhaps another system. */
const optionsOf = (folder: string) =>
  `--scratch-path /var/tmp/build/${folder} -Xswiftc -warnings-as-errors ${OBSERVATION}`;
/** Swift 6.0's own libswiftObservation.so for Linux refers to a function that no library has, and that is not called. */
const OBSERVATION = "-Xlinker --allow-shlib-undefined";

const LATCHKEY = '.product(name: "Latchkey", package: "latchkey-swift")';

let swift: Swift;
let callers: SwiftCallers;
beforeAll(async () => {
  swift = await installSwift();
  callers = await startSwiftCallers();
}, 1_800_000);
afterAll(() => callers?.close());

test.each(PACKAGES)(
  "%s and its tests compile in Swift's mode 6 without a warning",
  async (folder) => {
    const printed = await swift(join(ROOT, folder), `swift build --build-tests ${optionsOf(folder)} 2>&1`);
    expect(printed).not.toMatch(/\bwarning:/);
  },
  900_000,
);

test("DocC reads the comments of the package without a warning", async () => {
  const [build, graph, docs] = ["clients/swift/debug", "symbols", "documentation"].map(
    (name) => `/var/tmp/build/${name}`,
  );
  const symbols = `-module-name Latchkey -minimum-access-level public -output-dir ${graph}`;
  const names = "--fallback-display-name Latchkey --fallback-bundle-identifier latchkey";
  const printed = await swift(
    join(ROOT, "clients/swift"),
    [
      `rm -rf ${graph} ${docs} && mkdir -p ${graph} ${docs}/Latchkey.docc`,
      // The folder is named after the system that the compiler builds for.
      `triple=$(basename "$(dirname "$(readlink -f ${build})")")`,
      `swift symbolgraph-extract -I ${build}/Modules -target "$triple" ${symbols} 2>&1`,
      `/usr/libexec/swift/bin/docc convert ${docs}/Latchkey.docc --additional-symbol-graph-dir ${graph} \\
        --output-path ${docs}/out --warnings-as-errors ${names} 2>&1`,
      `ls ${docs}/out/data/documentation/latchkey`,
    ].join(" && "),
  );
  expect(printed).toContain("latchkeyclient.json");
}, 900_000);

test.each(PACKAGES)(
  "the tests of %s pass against the service",
  async (folder) => {
    const printed = await swift(join(ROOT, folder), `swift test --skip-build ${optionsOf(folder)} 2>&1`, callers.env);
    expect(printed).toMatch(/Executed [1-9]\d* tests, with 0 failures|Test run with [1-9]\d* tests passed/);
  },
  900_000,
);

test("the programs of README, pages and console do what they say, with the package as a repository of its own", async () => {
  const project = join(ROOT, ".latchkey/peers/swift-readme");
  await rm(project, { recursive: true, force: true });
  const repository = join(project, "latchkey-swift.git");
  await output("git", ["init", "-q", "--bare", "--initial-branch=main", repository]);
  await output(join(ROOT, "scripts/publish-swift.sh"), [repository, version]);
  const [, ...blocks] = blocksOf(await readFile(join(ROOT, "clients/swift/README.md"), "utf8"), "swift");
  const programs = [...blocks.map((program) => ({ program, env: callers.env })), ...firstRequests(callers.env)];
  for (const [index, { program }] of programs.entries()) {
    await mkdir(join(project, `Sources/program${index}`), { recursive: true });
    await writeFile(join(project, `Sources/program${index}/main.swift`), program);
  }
  await mkdir(join(project, "Sources/excerpts"), { recursive: true });
  await writeFile(join(project, "Sources/excerpts/excerpts.swift"), await excerpts());
  await writeFile(join(project, "Package.swift"), manifestOf(programs.length));
  const options = optionsOf("readme");
  await swift(project, `rm -rf /var/tmp/build/readme && swift build ${options} 2>&1`);
  const outputs = [];
  for (const [index, { env }] of programs.entries())
    outputs.push(await swift(project, `swift run -q --skip-build ${options} program${index}`, env));
  expect(outputs).toEqual([
    expect.stringMatching(/^You said: Hi\n\d+ conversation\n$/),
    '["conversations:*", "users:impersonate"]\nnot_found conversation_not_found conversation_key\n',
    '["conversations:*", "users:impersonate"]\n',
    '["conversations:*"]\n',
  ]);
}, 900_000);

/** What the console shows for a secret key and for a publishable one. */
function firstRequests(env: Readonly<Record<string, string>>) {
  const { LATCHKEY_URL: url = "", LATCHKEY_KEY: key = "" } = env;
  const { LATCHKEY_PUBLISHABLE_KEY: publishableKey = "", LATCHKEY_USER_TOKEN: userToken = "" } = env;
  return consoleSnippets("swift", { url, key, publishableKey, userToken });
}

/** What the pages show in Swift without its beginning: for each, what it takes and what it leaves unused. Compiled alone. */
const EXCERPTS: Readonly<Record<string, readonly [parameters: string, unused: string]>> = {
  "docs/home.md": ["environment: [String: String]", "caller"],
  "docs/guides/first-call.md": ["client: LatchkeyClient", "reply"],
  "docs/guides/other-languages.md": ["user: User", "answer"],
};

async function excerpts(): Promise<string> {
  const functions = Object.entries(EXCERPTS).map(async ([path, [parameters, unused]], index) => {
    // Later blocks of a page are for other packages.
    const [block = ""] = blocksOf(await readFile(join(ROOT, path), "utf8"), "swift(?: \\[Swift\\])?");
    expect([path, block]).toEqual([path, expect.stringContaining("try await client.")]);
    return `func excerpt${index}(${parameters}) async throws {\n${block}\n_ = ${unused}\n}\n`;
  });
  const user =
    "struct User: Sendable { func idToken(forcingRefresh: Bool) async throws -> String { String(forcingRefresh) } }";
  return ["import Foundation\nimport Latchkey", user, ...(await Promise.all(functions))].join("\n\n");
}

/** Of a package with these programs, which takes the client from a tag of its repository. */
function manifestOf(programs: number): string {
  const target = (_: unknown, index: number) =>
    `.executableTarget(name: "program${index}", dependencies: [${LATCHKEY}])`;
  return `// swift-tools-version:6.0
import PackageDescription
let package = Package(
    name: "Readme",
    platforms: [.macOS(.v12)],
    dependencies: [.package(url: "file:///checkout/.latchkey/peers/swift-readme/latchkey-swift.git", exact: "${version}")],
    targets: [.target(name: "excerpts", dependencies: [${LATCHKEY}]), ${Array.from({ length: programs }, target).join(", ")}]
)
`;
}

test("the denials that they meet have every reason", () => {
  const reasons = Object.keys(DenialReason)
    .filter((name) => name !== "UNSPECIFIED" && Number.isNaN(Number(name)))
    .map((name) => name.toLowerCase());
  expect((callers.env.LATCHKEY_DENIALS ?? "").split(",").toSorted()).toEqual(reasons.toSorted());
});
