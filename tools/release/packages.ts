import { readFileSync } from "node:fs";
import { join } from "node:path";

/** What a release publishes, each by the job of its name in `.github/workflows/release.yml`. */
export interface Published {
  readonly job: string;
  readonly folder: string;
  /** Where the version stands: the path of a file, and what is around the version. */
  readonly versions: readonly Place[];
  /** The license that its manifest names. Absent: its registry reads the file. */
  readonly license?: Place;
  /** Where the project's address stands, without its scheme. */
  readonly addresses: readonly Place[];
}

/** The first group of the pattern is what stands there. */
type Place = readonly [path: string, pattern: RegExp];

/** Stands for the project's address until it has one. Go's module path is a part of it. */
export const PLACEHOLDER = "latchkey.example/latchkey";
const LICENSE = "Apache-2.0";
const SEMVER = String.raw`(\d+\.\d+\.\d+(?:-[\w.]+)?)`;

export const PUBLISHED: readonly Published[] = [
  {
    job: "service",
    folder: ".",
    versions: [["package.json", pattern('^  "version": "@",')]],
    license: ["package.json", /"license": "(.+)"/],
    addresses: [["package.json", /"homepage": "https:\/\/(.+)"/]],
  },
  {
    job: "client",
    folder: "clients/typescript",
    versions: [
      ["package.json", pattern('^  "version": "@",')],
      ["clients/typescript/package.json", pattern('^  "version": "@",')],
      ["clients/typescript/src/user-agent.ts", pattern('CLIENT_VERSION = "@"')],
      ["clients/typescript/README.md", pattern("latchkey-client-@\\.tgz")],
    ],
    license: ["clients/typescript/package.json", /"license": "(.+)"/],
    addresses: [
      ["clients/typescript/package.json", /"homepage": "https:\/\/(.+)"/],
      ["clients/typescript/package.json", /"url": "git\+https:\/\/(.+)\.git"/],
      ["clients/typescript/package.json", /"bugs": "https:\/\/(.+)\/issues"/],
    ],
  },
  {
    job: "go",
    folder: "clients/go",
    versions: [
      ["clients/go/version.go", pattern('const version = "@"')],
      ["clients/go/README.md", pattern("@v@ -replace")],
      ["clients/go/grpcguard/go.mod", pattern("^require \\S+ v@$")],
    ],
    addresses: [["clients/go/go.mod", /^module (\S+?)(?:\/clients\/go)?$/m]],
  },
  {
    job: "python",
    folder: "clients/python",
    versions: [
      ["clients/python/pyproject.toml", pattern('^version = "@"')],
      ["clients/python/src/latchkey/_version.py", pattern('^VERSION = "@"')],
    ],
    license: ["clients/python/pyproject.toml", /^license = "(.+)"/m],
    addresses: [
      ["clients/python/pyproject.toml", /^Homepage = "https:\/\/(.+)"/m],
      ["clients/python/pyproject.toml", /^Repository = "https:\/\/(.+)\.git"/m],
      ["clients/python/pyproject.toml", /^Issues = "https:\/\/(.+)\/issues"/m],
    ],
  },
  {
    job: "swift",
    folder: "clients/swift",
    versions: [["clients/swift/Sources/Latchkey/Version.swift", pattern('"@"')]],
    addresses: [["clients/swift/README.md", /\(https:\/\/(.+)\) \(Apache-2\.0\)/]],
  },
  {
    job: "image",
    folder: ".",
    versions: [
      ["package.json", pattern('^  "version": "@",')],
      ["deploy/kustomize/example/kustomization.yaml", pattern("newTag: @")],
      ["deploy/kustomize/example/migrate/kustomization.yaml", pattern("newTag: @")],
    ],
    license: ["package.json", /"license": "(.+)"/],
    addresses: [["package.json", /"homepage": "https:\/\/(.+)"/]],
  },
  {
    job: "chart",
    folder: "deploy/helm/latchkey",
    versions: [
      ["deploy/helm/latchkey/Chart.yaml", pattern("^version: @")],
      ["deploy/helm/latchkey/Chart.yaml", pattern("^appVersion: @")],
    ],
    license: ["deploy/helm/latchkey/Chart.yaml", /artifacthub\.io\/license: (.+)/],
    addresses: [
      ["deploy/helm/latchkey/Chart.yaml", /^home: https:\/\/(.+)/m],
      ["deploy/helm/latchkey/Chart.yaml", /^sources: \[https:\/\/(.+)\]/m],
    ],
  },
];

/** Why a checkout must not be published under a tag; empty, if it may be. */
export function faultsOf(root: string, tag: string): string[] {
  const text = (path: string): string => readFileSync(join(root, path), "utf8");
  const at = ([path, expression]: Place): string | undefined => expression.exec(text(path))?.[1];
  const address = at(["package.json", /"homepage": "https:\/\/(.+)"/]);
  const faults: string[] = [];
  for (const { job, folder, versions, license, addresses } of PUBLISHED) {
    const expectAt = (place: Place, wanted: string | undefined): void => {
      const found = at(place);
      if (found !== wanted) faults.push(`${job}: ${place[0]} has ${found ?? "nothing"} where ${wanted} should be`);
    };
    for (const place of versions) expectAt(place, tag.replace(/^v/, ""));
    for (const place of addresses) expectAt(place, address);
    if (license !== undefined) expectAt(license, LICENSE);
    if (text(join(folder, "LICENSE")) !== text("LICENSE"))
      faults.push(`${job}: ${folder}/LICENSE is not the project's`);
  }
  if (address === PLACEHOLDER) faults.push(`${PLACEHOLDER} is no address: RELEASING.md says how it is replaced`);
  return faults;
}

/** Of a line, with the version in place of the last `@`. */
function pattern(line: string): RegExp {
  const place = line.lastIndexOf("@");
  return new RegExp(line.slice(0, place) + SEMVER + line.slice(place + 1), "m");
}
