import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundledIn } from "./bundled.ts";
import { folderOf, type Release, run } from "./release.ts";
import { buildOf, NOT_BUNDLED } from "./service-package.ts";

/** What is used of a bill of materials, which npm writes as CycloneDX. */
interface Bill {
  readonly metadata: object;
  readonly components: readonly { readonly "bom-ref": string }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[];
}

/** The bills of the packages that contain or install code of others. */
export function writeBills(release: Release): void {
  const folder = folderOf(release, "sbom");
  writeFileSync(join(folder, "latchkey.cdx.json"), billOfService(release.root));
  writeFileSync(join(folder, "client.cdx.json"), billOfClient(release.root));
}

/** Those whose code is in the build, and the one that the build leaves out. */
export function billOfService(root: string): string {
  const bundled = bundledIn(root, join(root, "dist", buildOf(root))).map(({ name, version }) => `${name}@${version}`);
  return billOf(root, ".", [...bundled, installed(root, NOT_BUNDLED)]);
}

/** Those that its manifest names, which install no others. */
function billOfClient(root: string): string {
  const { dependencies } = JSON.parse(readFileSync(join(root, "clients/typescript/package.json"), "utf8"));
  const refs = Object.keys(dependencies).map((name) => installed(root, name));
  return billOf(root, "clients/typescript", refs);
}

function installed(root: string, name: string): string {
  const { version } = JSON.parse(readFileSync(join(root, "node_modules", name, "package.json"), "utf8"));
  return `${name}@${version}`;
}

/** npm's bill of all that is installed, for a package in a folder: with its name, and with these parts only. */
function billOf(root: string, folder: string, refs: readonly string[]): string {
  const { name, version, license } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
  const ref = `${name}@${version}`;
  const component = {
    ...{ "bom-ref": ref, type: "library", name, version, purl: `pkg:npm/${ref.replace(/^@/, "%40")}` },
    licenses: [{ license: { id: license } }],
  };
  const kept = new Set(refs);
  const bill: Bill = JSON.parse(run("npm", ["sbom", "--sbom-format=cyclonedx"], root));
  const components = bill.components.filter((each) => kept.has(each["bom-ref"]));
  const missing = refs.filter((each) => !components.some(({ "bom-ref": found }) => found === each));
  if (missing.length > 0) throw new Error(`npm's bill of materials does not have ${missing.join(", ")}`);
  const dependencies = bill.dependencies
    .filter((each) => kept.has(each.ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((each) => kept.has(each)) }));
  const whole = { ref, dependsOn: [...kept] };
  const metadata = { ...bill.metadata, component };
  return `${JSON.stringify({ ...bill, metadata, components, dependencies: [whole, ...dependencies] }, null, 2)}\n`;
}
