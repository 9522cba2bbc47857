import { glob, readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { readConfig } from "../../src/config/config.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
/** A path from the root of the repository, also inside a command. */
const BELOW_ROOT = /(?<![\w./@-])((?:src|test|proto|docs|clients|bench|tools|scripts)\/[\w./-]*\w)/g;
const SKIPPED = ["**/node_modules/**", "**/dist/**", "**/.build/**", "bench/profiles/**"];

const manifest = await json("package.json");
const client = await json("clients/typescript/package.json");
const pages = await texts("**/*.md", ".github/**/*.md");
const forms = await texts(".github/**/*.yml");
const devContainer = JSON.parse((await text(".devcontainer/devcontainer.json")).replaceAll(/^ *\/\/.*$/gm, ""));
/** Pages and forms about the project itself, beside the documentation. */
const about = [...pages, ...forms].filter(([path]) => /^(?:SECURITY|RELEASING|CONTRIBUTING|\.github)/.test(path));

async function text(path: string): Promise<string> {
  return readFile(`${ROOT}${path}`, "utf8");
}

async function json(path: string) {
  return JSON.parse(await text(path));
}

async function find(...patterns: string[]): Promise<string[]> {
  const paths: string[] = [];
  for await (const path of glob(patterns, { cwd: ROOT, exclude: SKIPPED })) paths.push(path);
  return paths.sort();
}

/** The files that match, as pairs of path and text. */
async function texts(...patterns: string[]): Promise<(readonly [string, string])[]> {
  const paths = await find(...patterns);
  return Promise.all(paths.map(async (path) => [path, await text(path)] as const));
}

async function exists(path: string): Promise<boolean> {
  return stat(`${ROOT}${path}`).then(
    () => true,
    () => false,
  );
}

/** What the group of the pattern matches, each once. */
function all(source: string, pattern: RegExp): string[] {
  return [...new Set([...source.matchAll(pattern)].map(([, match = ""]) => match))];
}

test("every script that a page, a form, a workflow or the dev container names exists", () => {
  const scripts = new Set([...Object.keys(manifest.scripts), ...Object.keys(client.scripts)]);
  let named = 0;
  for (const [path, source] of [...pages, ...forms, ["dev container", JSON.stringify(devContainer)] as const]) {
    for (const script of all(source, /npm run (?:-\S+ )*([a-z][\w:-]*)/g)) {
      expect(scripts, `${path}: npm run ${script}`).toContain(script);
      named++;
    }
  }
  expect(named).toBeGreaterThan(20);
});

test("every file that a page links to exists", async () => {
  let linked = 0;
  for (const [path, source] of pages) {
    for (const target of all(source, /\]\((?!https?:|#)([^)#\s]+)/g)) {
      expect(await exists(join(dirname(path), target)), `${path}: ${target}`).toBe(true);
      linked++;
    }
  }
  expect(linked).toBeGreaterThan(50);
});

test("every file that the pages about the project and the forms name exists", async () => {
  const paths = /`(\.?[a-z][\w.-]*(?:\/[\w.-]+)*\/?)`/gi;
  /** But for what commands make. */
  const isPath = (name: string) => /\/|\.(?:md|json|ya?ml|ts|binpb)$/.test(name) && !name.startsWith("artifacts/");
  const files = about.flatMap(([path, source]) =>
    [...all(source, paths).filter(isPath), ...all(source, BELOW_ROOT)].map((name) => [path, name] as const),
  );
  expect(files.length).toBeGreaterThan(20);
  for (const [path, name] of files) expect(await exists(name), `${path}: ${name}`).toBe(true);
});

test("every file of the source, the tests or the tools that a page names exists", async () => {
  /** Written by `npm run bench -- --profile`. */
  const isMade = (name: string) => name === "bench/profiles";
  const isMethodOfMcp = (name: string) => name === "tools/call" || name === "tools/list";
  const files = pages.flatMap(([path, source]) =>
    all(source, BELOW_ROOT)
      .filter((name) => !isMade(name) && !isMethodOfMcp(name))
      .map((name) => [path, name] as const),
  );
  expect(files.length).toBeGreaterThan(80);
  for (const [path, name] of files) expect(await exists(name), `${path}: ${name}`).toBe(true);
});

test("nothing contains a person's address, or a host that the project does not depend on", () => {
  const known = /^(?:127\.0\.0\.1|semver\.org|keepachangelog\.com)$/;
  for (const [path, source] of about) {
    expect(all(source, /([\w.+-]+@[\w-]+\.[a-z]{2,})/gi), path).toEqual([]);
    for (const host of all(source, /https?:\/\/([\w.-]+)/g)) expect(host, path).toMatch(known);
  }
});

describe("workflows", () => {
  interface Step {
    readonly uses?: string;
    readonly run?: string;
  }
  interface Job {
    readonly container?: { readonly image: string };
    readonly needs?: string;
    readonly strategy?: { readonly matrix: { readonly node: readonly string[] } };
    readonly permissions?: Record<string, string>;
    /** Absent: `uses` is another workflow. */
    readonly steps?: readonly Step[];
    readonly uses?: string;
  }
  const workflows = new Map(
    forms
      .filter(([path]) => path.startsWith(".github/workflows/"))
      .map(([path, source]) => [path.slice(".github/workflows/".length), parse(source)] as const),
  );
  const jobsOf = (workflow: { jobs: Record<string, Job> }): Job[] => Object.values(workflow.jobs);
  const commands = (name: string) =>
    jobsOf(workflows.get(name)).flatMap(({ steps = [] }) => steps.map(({ run }) => run));

  test("run the one script of CI, and each night the soak, the long tests, the suites of others, the properties and each benchmark", async () => {
    expect([...workflows.keys()]).toEqual(["ci.yml", "nightly.yml", "release.yml"]);
    expect(commands("ci.yml")).toContain(".ci/run");
    expect((await stat(`${ROOT}.ci/run`)).mode & 0o111).not.toBe(0);
    const [run, scripts] = [await text(".ci/run"), manifest.scripts];
    for (const [script, variable] of [
      [scripts.pretest, "BEFORE_TESTS=scripts/checks.sh"],
      [scripts.test, "WHICH_TESTS='--project=*'"],
    ]) {
      expect(run).toContain(`export ${variable}\n`);
      expect(script).toContain(`\${${variable.split("=")[0]}:-`);
    }
    const nightly = commands("nightly.yml").join("\n");
    const benches = Object.keys(scripts).filter((name) => /^bench(?::|$)/.test(name));
    for (const script of [
      "soak",
      "test:faults",
      "test:fuzz",
      "test:peers",
      "test:model",
      "test:properties",
      "test:release",
      ...benches,
    ])
      expect(nightly).toMatch(new RegExp(`npm run ${script}(?![\\w:])`));
  });

  test("run the long form of each test that has one", async () => {
    const places: string[] = manifest.scripts["test:faults"]
      .split(" ")
      .filter((word: string) => word.startsWith("test/"));
    const longer = (await texts("test/**/*.test.ts")).filter(([, source]) =>
      /process\.env\.TEST_LONG|inject\("longForm"\)/.test(source),
    );
    expect(longer.length).toBeGreaterThan(5);
    for (const [file] of longer)
      expect(
        places.some((place) => file.startsWith(place)),
        file,
      ).toBe(true);
  });

  test("read the repository and no more, and pin each action to one commit", () => {
    for (const [name, workflow] of workflows) {
      expect(workflow.permissions, name).toEqual({ contents: "read" });
      const used = jobsOf(workflow).flatMap(({ steps = [] }) => steps.flatMap(({ uses }) => uses ?? []));
      for (const action of used) expect(action, name).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
    }
    const pins = forms.flatMap(([, source]) => all(source, /uses: (\S+ # v[\d.]+)$/gm));
    expect(new Set(pins).size).toBe(new Set(pins.map((pin) => pin.split("@")[0])).size);
  });

  test("publish after all checks, and nothing but the release may write or has an identity", async () => {
    const { jobs }: { jobs: Record<string, Job> } = workflows.get("release.yml");
    expect(Object.keys(workflows.get("ci.yml").on)).toContain("workflow_call");
    expect(jobs.checks).toEqual({ uses: "./.github/workflows/ci.yml" });
    // No token of ours opens the Swift package's own repository but its deploy key.
    expect(all(await text(".github/workflows/release.yml"), /secrets\.(\w+)/g)).toEqual(["SWIFT_DEPLOY_KEY"]);
    for (const [name, workflow] of workflows) {
      if (name === "release.yml") continue;
      for (const { permissions } of jobsOf(workflow)) expect(permissions, name).toBeUndefined();
    }
  });

  test("build the image from one base, by digest", async () => {
    const [base, ...others] = all(await text("Dockerfile"), /^FROM (\S+)/gm);
    expect(base).toMatch(/@sha256:[0-9a-f]{64}$/);
    expect(others).toEqual(["base"]);
    expect(commands("ci.yml").join("\n")).toContain("scripts/check-image.sh");
  });

  test("run on the same Node as the image, the dev container and the project", async () => {
    const major = (await text(".nvmrc")).trim();
    expect(manifest.dependencies.node.split(".")[0]).toBe(major);
    expect(manifest.devDependencies["@types/node"].split(".")[0]).toBe(major);
    const containers = [...workflows.values()].flatMap((workflow) => jobsOf(workflow).flatMap((job) => job.container));
    const images = [
      ...containers.flatMap((container) => container?.image ?? []).filter((image) => !image.includes("matrix.node")),
      ...all(await text("Dockerfile"), /^FROM (\S+)@sha256:[0-9a-f]{64} AS base$/gm),
      devContainer.image,
    ];
    expect(images.length).toBeGreaterThan(2);
    for (const image of images) expect(image).toMatch(new RegExp(`node:${major}-bookworm(?:-slim)?$`));
  });

  test("install with the npm of each Node that the README names", async () => {
    const { strategy, steps }: Job = workflows.get("ci.yml")?.jobs.install ?? {};
    const named = /Node\.js ([\d.]+) or later, better ([\d.]+); the project brings the Node (\d+)/.exec(
      await text("README.md"),
    );
    expect(strategy?.matrix.node).toEqual(named?.slice(1));
    expect(steps?.some(({ run }) => run?.startsWith("npm ci"))).toBe(true);
  });
});

test("each issue form has a name, a description and several fields", () => {
  const templates = forms.filter(([path]) => /ISSUE_TEMPLATE\/(?!config)/.test(path));
  expect(templates).toHaveLength(2);
  for (const [path, source] of templates) {
    const { name, description, body } = parse(source);
    expect([name, description], path).toEqual([expect.any(String), expect.any(String)]);
    const ids = body.flatMap((field: { id?: string }) => field.id ?? []);
    expect(new Set(ids).size, path).toBe(ids.length);
    expect(ids.length, path).toBeGreaterThan(1);
  }
});

describe("dependabot.yml", async () => {
  interface Update {
    readonly "package-ecosystem": string;
    readonly directory?: string;
    readonly directories?: readonly string[];
    readonly groups?: Record<string, { readonly patterns?: readonly string[] }>;
    readonly ignore?: readonly { readonly "dependency-name": string }[];
  }
  const { updates }: { updates: readonly Update[] } = parse(await text(".github/dependabot.yml"));
  const npm = updates.find((update) => update["package-ecosystem"] === "npm");
  const folders = (update?: Update) => update?.directories ?? [update?.directory ?? ""];

  // threat: H17
  test("watches folders with something to update, and each lock file", async () => {
    const content = {
      npm: "package-lock.json",
      docker: "Dockerfile",
      "github-actions": ".github/workflows",
      gomod: "go.mod",
      pip: "pyproject.toml",
      maven: "pom.xml",
      cargo: "Cargo.lock",
    };
    expect(updates.map((update) => update["package-ecosystem"]).sort()).toEqual(Object.keys(content).sort());
    for (const update of updates) {
      const file = Object.entries(content).find(([ecosystem]) => ecosystem === update["package-ecosystem"])?.[1];
      for (const folder of folders(update)) expect(await exists(`${folder}/${file}`), `${folder} ${file}`).toBe(true);
    }
    const locks = await find("**/package-lock.json");
    expect(
      folders(npm)
        .map((folder) => join(folder, "package-lock.json").slice(1))
        .sort(),
    ).toEqual(locks);
  });

  test("watches lock files that contain no address to download from, so that any registry serves", async () => {
    for (const folder of folders(npm)) {
      const lock = await text(join(folder, "package-lock.json").slice(1));
      expect(lock.length, folder).toBeGreaterThan(3_000);
      expect(all(lock, /("resolved": ?"(?:https?|git)[^"]*")/g), folder).toEqual([]);
    }
  });

  test("groups and ignores packages that are there", async () => {
    const manifests = await Promise.all(folders(npm).map((folder) => json(`${folder}/package.json`)));
    const names = manifests.flatMap((each) => Object.keys({ ...each.dependencies, ...each.devDependencies }));
    const patterns = Object.values(npm?.groups ?? {}).flatMap((group) => group.patterns ?? []);
    const ignored = npm?.ignore?.map((each) => each["dependency-name"]) ?? [];
    expect(patterns.length).toBeGreaterThan(3);
    for (const pattern of [...patterns, ...ignored]) {
      const matcher = new RegExp(`^${pattern.replaceAll("*", ".*")}$`);
      expect(names.filter((name) => matcher.test(name)).length, pattern).toBeGreaterThan(0);
    }
  });
});

test("the dev container installs what the tests would install as root, and forwards the service's port", async () => {
  const sources = await texts("test/**/*.ts");
  const programs = sources.flatMap(([, source]) => all(source, /^ *package: "([\w-]+)",$/gm));
  expect(programs.length).toBeGreaterThan(4);
  const installed = /--no-install-recommends (.*)$/.exec(devContainer.postCreateCommand.programs)?.[1]?.split(" ");
  expect(installed?.toSorted()).toEqual(programs.sort());
  expect(devContainer.forwardPorts).toEqual([readConfig({}).port]);
});

test(".editorconfig says what biome.json says", async () => {
  const { formatter } = await json("biome.json");
  const options = Object.fromEntries(
    [...(await text(".editorconfig")).matchAll(/^(\w+) = (.+)$/gm)].reverse().map(([, name, value]) => [name, value]),
  );
  expect(options).toMatchObject({
    end_of_line: formatter.lineEnding ?? "lf",
    indent_style: formatter.indentStyle,
    indent_size: String(formatter.indentWidth),
    max_line_length: String(formatter.lineWidth),
  });
});

test("the service, its client and the archive that the client's README installs have one version", async () => {
  expect(client.version).toBe(manifest.version);
  const { packages } = await json("package-lock.json");
  expect([packages[""].version, packages["clients/typescript"].version]).toEqual([client.version, client.version]);
  expect(all(await text("clients/typescript/README.md"), /latchkey-client-(.+?)\.tgz/g)).toEqual([client.version]);
});
