import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { ARTIFACTS } from "../../tools/release/artifacts.ts";
import { faultsOf, PLACEHOLDER, PUBLISHED } from "../../tools/release/packages.ts";

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const { version } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));

interface Job {
  readonly needs?: string;
  readonly environment?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps?: readonly { readonly uses?: string; readonly run?: string }[];
}
const { on, jobs }: { on: unknown; jobs: Record<string, Job> } = parse(
  await readFile(join(ROOT, ".github/workflows/release.yml"), "utf8"),
);
const commandsOf = (name: string) => (jobs[name]?.steps ?? []).map((step) => step.run ?? "").join("\n");
const actionsOf = (name: string) => (jobs[name]?.steps ?? []).flatMap(({ uses }) => uses?.split("@")[0] ?? []);

let copied: string | undefined;
afterAll(() => copied && rm(copied, { recursive: true, force: true }));

describe("the packages of a release", () => {
  test("have one version, one license and one address", () => {
    expect(faultsOf(ROOT, `v${version}`).filter((fault) => !fault.startsWith(PLACEHOLDER))).toEqual([]);
  });

  test("are not published under the tag of another version", async () => {
    const check = run(process.execPath, ["tools/release/main.ts", "v99.0.0"], { cwd: ROOT });
    await expect(check).rejects.toThrow("clients/swift/Sources/Latchkey/Version.swift has");
    expect(faultsOf(ROOT, "v99.0.0").filter((fault) => fault.includes("99.0.0"))).toHaveLength(
      PUBLISHED.flatMap(({ versions }) => versions).length,
    );
  });

  test("are published when scripts/set-address.sh has given them an address, and not under the one that stands for it", async () => {
    copied = await copyOfPackages();
    for (const address of [PLACEHOLDER, "forge.example/team/latchkey"]) {
      await run("scripts/set-address.sh", [address], { cwd: copied });
      const advice = `${PLACEHOLDER} is no address: RELEASING.md says how it is replaced`;
      expect(faultsOf(copied, `v${version}`)).toEqual(address === PLACEHOLDER ? [advice] : []);
      expect(await readFile(join(copied, "clients/go/client.go"), "utf8")).toContain(
        `"${address}/clients/go/gen/latchkey/v1/latchkeyv1connect"`,
      );
    }
    await writeFile(join(copied, "clients/python/LICENSE"), "another");
    expect(faultsOf(copied, `v${version}`)).toEqual(["python: clients/python/LICENSE is not the project's"]);
  });
});

test("a rehearsal makes what each job of the release publishes, and the bills of materials", () => {
  expect(Object.keys(ARTIFACTS).sort()).toEqual([...PUBLISHED.map(({ job }) => job), "sbom"].sort());
});

test("the image has the license and what it is built of", async () => {
  const image = (await readFile(join(ROOT, "Dockerfile"), "utf8")).split(/^FROM /m).at(-1);
  expect(image).toMatch(/^COPY .*\bLICENSE .*\.\/$/m);
  expect(await readFile(join(ROOT, ".dockerignore"), "utf8")).toMatch(/^!LICENSE$/m);
});

test.each(["typescript", "python", "swift"])(
  "the README for %s, which is read outside the repository, has no link that ends there",
  async (client) => {
    const { homepage } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
    const text = await readFile(join(ROOT, "clients", client, "README.md"), "utf8");
    const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link);
    // An index shows the README alone: neither a file beside it, nor one of the repository, is there.
    expect(links.filter((link) => !/^(?:#|https:\/\/)/.test(link))).toEqual([]);
    const addresses = [...text.matchAll(/https?:\/\/[^\s)"'`]*\/latchkey\b[^\s)"'`]*/g)].map(([address]) => address);
    expect(addresses.filter((address) => !address.startsWith(homepage))).toEqual([]);
  },
);

/** What `set-address.sh` writes to, in a repository of its own. */
async function copyOfPackages(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "latchkey-release-"));
  const parts = ["LICENSE", "package.json", "buf.gen.go.yaml", "clients", "deploy", "docs/guides", "scripts"];
  const isSource = (path: string) => !/\/(?:node_modules|dist|\.build|\.venv)(?:\/|$)/.test(path);
  for (const part of parts) await cp(join(ROOT, part), join(folder, part), { recursive: true, filter: isSource });
  await run("git", ["init", "-q"], { cwd: folder });
  await run("git", ["add", "."], { cwd: folder });
  return folder;
}

test("the changelog of each release is in sections by reader, and each line is in one", async () => {
  const readers = ["API", "Service", "Chart and deployment", "All clients", "TypeScript client", "Go client"];
  readers.push("Python client", "Swift client", "Command line and console", "This repository");
  const [, ...releases] = (await readFile(join(ROOT, "CHANGELOG.md"), "utf8")).split(/^## /m);
  expect(releases[0]).toMatch(/^Unreleased\n/);
  const lines = releases.flatMap((release) => release.split("\n").filter((line) => line.startsWith("- ")));
  expect(lines.filter((line, index) => lines.indexOf(line) !== index)).toEqual([]);
  for (const release of releases) {
    const [head = "", ...sections] = release.split(/^### /m);
    const titles = sections.map((section) => section.split("\n", 1)[0]);
    expect(titles).toEqual(readers.filter((reader) => titles.includes(reader)));
    expect(head, "a line above all sections").not.toMatch(/^- /m);
  }
});

describe("the workflow of a release", () => {
  test("publishes each package by a job of its own, after all checks and the comparison of versions", () => {
    expect(on).toEqual({ push: { tags: ["v*"] } });
    expect(Object.keys(jobs).sort()).toEqual(["checks", "packages", ...PUBLISHED.map(({ job }) => job)].sort());
    expect(jobs.packages?.needs).toBe("checks");
    expect(commandsOf("packages")).toContain('node tools/release/main.ts "$GITHUB_REF_NAME"');
    for (const { job } of PUBLISHED) expect(jobs[job]?.needs, job).toBe(job === "chart" ? "image" : "packages");
  });

  test("runs each job that publishes in an environment whose rules say who may release", () => {
    const environments = PUBLISHED.map(({ job }) => [job, jobs[job]?.environment]);
    expect(Object.fromEntries(environments)).toEqual({
      service: "npm",
      client: "npm",
      go: "go",
      python: "pypi",
      swift: "swift",
      image: "registry",
      chart: "registry",
    });
  });

  test("gives each job what it needs to publish, and no job a secret that publishes another package", () => {
    const registry = { contents: "read", packages: "write", "id-token": "write", attestations: "write" };
    const permissions = PUBLISHED.map(({ job }) => [job, jobs[job]?.permissions]);
    expect(Object.fromEntries(permissions)).toEqual({
      service: { contents: "read", "id-token": "write" },
      client: { contents: "read", "id-token": "write" },
      go: { contents: "write" },
      python: { contents: "read", "id-token": "write" },
      swift: undefined,
      image: registry,
      chart: registry,
    });
  });

  test("says of each package where it comes from, and signs what it pushes to the registry by its digest", () => {
    expect(commandsOf("client")).toContain("npm publish -w clients/typescript --provenance");
    expect(commandsOf("service")).toContain("npm publish --provenance");
    expect(actionsOf("python")).toContain("pypa/gh-action-pypi-publish");
    for (const job of ["image", "chart"]) {
      expect(actionsOf(job), job).toEqual(
        expect.arrayContaining(["sigstore/cosign-installer", "actions/attest-build-provenance"]),
      );
      expect(commandsOf(job), job).toContain('cosign sign --yes "$PUSHED"');
      expect(JSON.stringify(jobs[job]), job).toMatch(/"PUSHED":"[^"]+@\$\{\{ steps\.push\.outputs\.digest \}\}"/);
    }
    expect(commandsOf("go")).toContain("scripts/tag-go.sh origin");
    expect(commandsOf("swift")).toContain("scripts/publish-swift.sh");
  });

  test("gives the image its tag last, when it was checked and signed", () => {
    const commands = commandsOf("image");
    const order = [
      "push-by-digest=true",
      "scripts/check-image.sh",
      "cosign sign",
      "cosign attest",
      "imagetools create -t",
    ];
    const places = order.map((command) => commands.indexOf(command));
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    expect(places[0]).toBeGreaterThan(-1);
    expect(commands).not.toMatch(/buildx build[^\n]*(?:\\\n[^\n]*)*(?:-t |--tag )/);
  });
});
