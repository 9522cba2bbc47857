// Prints the table of sizes in the client's README: each entry with all that it loads but its peers, minified and with gzip.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { rolldown } from "rolldown";

const PACKAGE = "clients/typescript";

const { exports, name, peerDependencies } = JSON.parse(await readFile(join(PACKAGE, "package.json"), "utf8"));
console.log("| Entry | Minified, with gzip |\n| --- | ---: |");
for (const [entry, formats] of Object.entries(exports)) {
  // No page loads the edge, and a guard does only where it is asked for one: it is code of the service, for Node.
  if (typeof formats === "string" || entry === "./edge") continue;
  const input = join(PACKAGE, formats.import.default.replace("dist/esm/", "src/").replace(/js$/, "ts"));
  const external = [/^node:/, join(name, "edge"), ...Object.keys(peerDependencies)];
  const bundle = await rolldown({ input, platform: "neutral", external, checks: { moduleLevelDirective: false } });
  const { output } = await bundle.generate({ format: "esm", minify: true });
  const bytes = gzipSync(output[0].code, { level: 9 }).length;
  console.log(`| \`${join(name, entry)}\` | ${(bytes / 1_000).toFixed(1)} kB |`);
}
