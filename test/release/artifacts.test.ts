import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { post } from "../harness/http.ts";
import { blocksOf, needs, output } from "../peers/callers.ts";
import { goTool, PEERS_DIR } from "../peers/go-tools.ts";
import { problemsOfBom } from "../peers/image/cyclonedx.ts";
import { MODULES } from "../peers/kubernetes-tools.ts";
import { installSwift } from "../peers/swift-toolchain.ts";
import { freePort } from "../servers/free-port.ts";
import { pullImages, runImage } from "./image.ts";
import { artifact, FILES, type SecondMachine, startSecondMachine } from "./second-machine.ts";

// Each artifact is installed in an empty folder, as who reads its README does, and makes the README's first call to the service that
// the npm package runs.

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const MINUTES_MS = 60_000;
const OPERATOR_TOKEN = "operator-token-of-the-release-0123456789";

let machine: SecondMachine;
beforeAll(async () => {
  machine = await startSecondMachine();
}, 15 * MINUTES_MS);
afterAll(() => machine?.close());

/** The first program of the README of a client that calls a service. */
async function firstCall(client: string, language: string): Promise<string> {
  const programs = blocksOf(await readFile(join(ROOT, "clients", client, "README.md"), "utf8"), language);
  const program = programs.find((text) => text.includes("LATCHKEY_URL"));
  if (program === undefined) throw new Error(`The README of ${client} has no program in ${language}`);
  return program;
}

test("the client for TypeScript calls", async () => {
  const folder = await machine.folder();
  await machine.run(folder, "npm", ["install", "--no-audit", "--no-fund", "@latchkey/client"]);
  await writeFile(join(folder, "call.mjs"), await firstCall("typescript", "ts"));
  expect(await machine.run(folder, process.execPath, ["call.mjs"])).toMatch(/^You said: Hi\n\d+ conversation/);
});

test.each([
  ["wheel", /\.whl$/],
  ["source", /\.tar\.gz$/],
])("the client for Python calls, installed from its %s", async (_, name) => {
  const advice =
    "The test of the Python client needs Python 3.10 or later with venv: install python3 and python3-venv.";
  await needs(advice, "python3", "-c", "import ensurepip, sys; sys.exit(sys.version_info < (3, 10))");
  const folder = await machine.folder();
  await machine.run(folder, "python3", ["-m", "venv", "venv"]);
  await machine.run(folder, "venv/bin/pip", [
    "install",
    "-q",
    "--disable-pip-version-check",
    await artifact("python", name),
  ]);
  await writeFile(join(folder, "call.py"), await firstCall("python", "python"));
  expect(await machine.run(folder, "venv/bin/python", ["call.py"])).toMatch(/^You said: Hi\n\d+ conversation/);
});

test("the client for Go calls, and the guard for grpc-go compiles, both from the files of a proxy", async () => {
  await needs("The test of the Go modules needs Go 1.26 or later.", "go", "version");
  const folder = await machine.folder();
  const others = (await output("go", ["env", "GOPROXY"])).trim();
  const module = /^module (\S+)$/m.exec(await readFile(join(ROOT, "clients/go/go.mod"), "utf8"))?.[1] ?? "";
  const env = {
    GOPROXY: `file://${join(FILES, "go")},${others}`,
    GONOSUMDB: module,
    GOFLAGS: "-modcacherw",
    GOPATH: join(folder, "go"),
    GOCACHE: join(folder, "cache"),
  };
  const project = join(folder, "project");
  await mkdir(project);
  await writeFile(join(project, "main.go"), await firstCall("go", "go"));
  await writeFile(join(project, "guard.go"), `package main\n\nimport _ "${module}/grpcguard"\n`);
  await machine.run(project, "go", ["mod", "init", "call"], env);
  const versions = [module, `${module}/grpcguard`].map((path) => `${path}@v${machine.version}`);
  await machine.run(project, "go", ["get", ...versions], env);
  await machine.run(project, "go", ["mod", "tidy"], env);
  expect(await machine.run(project, "go", ["run", "."], env)).toMatch(/You said: Hi\n\d+ conversation/);
});

test("the client for Swift calls, from its repository at the tag", { timeout: 60 * MINUTES_MS }, async () => {
  const swift = await installSwift();
  // The compiler's root sees only folders of the checkout.
  const folder = join(PEERS_DIR, `release-${process.pid}`);
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, "call/Sources/call"), { recursive: true });
  await output("git", ["clone", "-q", "--bare", await artifact("swift", /\.bundle$/), join(folder, "latchkey.git")]);
  const url = `file://${folder.replace(resolve("."), "/checkout")}/latchkey.git`;
  await writeFile(
    join(folder, "call/Package.swift"),
    `// swift-tools-version:6.0
import PackageDescription
let package = Package(
    name: "call",
    dependencies: [.package(url: "${url}", exact: "${machine.version}")],
    targets: [.executableTarget(name: "call", dependencies: [.product(name: "Latchkey", package: "latchkey")])]
)
`,
  );
  await writeFile(join(folder, "call/Sources/call/main.swift"), await firstCall("swift", "swift"));
  const names = ["LATCHKEY_URL", "LATCHKEY_PUBLISHABLE_KEY", "LATCHKEY_USER_TOKEN"];
  const exported = JSON.parse(await machine.run(folder, process.execPath, ["-p", "JSON.stringify(process.env)"]));
  // In that root, the repository belongs to another user.
  const git = { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "safe.directory", GIT_CONFIG_VALUE_0: "*" };
  const env = { ...git, ...Object.fromEntries(names.map((name): [string, string] => [name, exported[name]])) };
  const printed = await swift(join(folder, "call"), "swift run -q", env);
  expect(printed).toMatch(/You said: Hi\n\d+ conversation/);
});

test("the chart renders the image of its version", async () => {
  const helm = await goTool("helm", MODULES.helm);
  const manifests = await machine.run(await machine.folder(), helm, [
    "template",
    "latchkey",
    await artifact("chart", /\.tgz$/),
    ...["--kube-version", "1.33.0", "--set", "prometheusRule.enabled=true"],
  ]);
  expect(manifests).toMatch(new RegExp(`^ +image: "?[^\\n]*latchkey:${machine.version}"?$`, "m"));
  expect(manifests).toContain("kind: Deployment");
});

test("the image serves from its own file system, as its own user", { timeout: 5 * MINUTES_MS }, async () => {
  const images = await pullImages();
  expect([...images.keys()].sort()).toEqual(["amd64", "arm64"]);
  const image = images.get(process.arch === "x64" ? "amd64" : process.arch);
  if (image === undefined) throw new Error(`The test of the image runs on one of ${[...images.keys()].join(", ")}`);
  await needs("The test of the image needs root on Linux, to mount file systems.", "unshare", "--mount", "true");
  const port = String(await freePort());
  const settings = { HOST: "127.0.0.1", PORT: port, OPERATOR_TOKEN, DRAIN_SECONDS: "0" };
  const root = await machine.folder();
  const container = await runImage(image, root, settings);
  let log = "";
  for (const stream of [container.child.stdout, container.child.stderr]) stream?.on("data", (chunk) => (log += chunk));
  onTestFinished(container.kill);
  const url = `http://127.0.0.1:${port}`;
  await expect
    .poll(
      () =>
        fetch(`${url}/readyz`).then(
          (response) => response.status,
          () => log,
        ),
      { timeout: 2 * MINUTES_MS },
    )
    .toBe(200);
  const body = { tenant_id: "ten_image", name: "a key", permissions: ["plans:read"] };
  const authorization = { authorization: `Bearer ${OPERATOR_TOKEN}` };
  const { json } = await post(url, "/api/v1/operator/keys/create", body, authorization);
  const verified = await post(url, "/api/v1/auth/verify", {}, { "x-api-key": json.result.key });
  expect(verified.json).toMatchObject({ tenant_id: "ten_image" });
});

test.each(["latchkey", "client"])("the bill of materials of %s is valid CycloneDX", async (name) => {
  const bill = JSON.parse(await readFile(await artifact("sbom", new RegExp(`^${name}\\.`)), "utf8"));
  expect(await problemsOfBom(bill)).toEqual([]);
  expect(bill.components.length).toBeGreaterThan(2);
});

test("the checksums are those of all files, and signed with the key beside them", async () => {
  const folder = await machine.folder();
  await cp(FILES, folder, { recursive: true });
  const run = (program: string, ...args: string[]) => machine.run(folder, program, args);
  await run("sha256sum", "--check", "--quiet", "--strict", "SHA256SUMS");
  await run("openssl", "base64", "-d", "-A", "-in", "SHA256SUMS.sig", "-out", "signature");
  const verify = ["dgst", "-sha256", "-verify", "cosign.pub", "-signature", "signature", "SHA256SUMS"];
  expect(await run("openssl", ...verify)).toContain("Verified OK");
  const listed = (await readFile(join(folder, "SHA256SUMS"), "utf8")).trim().split("\n").length;
  const found = (await run("find", ".", "-type", "f")).trim().split("\n").length;
  expect(found - listed, "SHA256SUMS, its signature twice, and the key").toBe(4);
  await writeFile(join(folder, "SHA256SUMS"), "another");
  await expect(run("openssl", ...verify)).rejects.toThrow("Verification failure");
});
