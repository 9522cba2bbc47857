// Builds the package: ES modules in dist/esm, CommonJS in dist/cjs, each with its types. Another folder than dist may be given.
import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const PACKAGE = dirname(fileURLToPath(import.meta.url));
const TSC = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc");
/** The format of each folder's modules, and of the types beside them, is that of the nearest package.json. */
const FORMATS = [
  { folder: "esm", type: "module", project: "tsconfig.build.json" },
  { folder: "cjs", type: "commonjs", project: "tsconfig.cjs.json" },
];

const dist = process.argv[2] ?? join(PACKAGE, "dist");
rmSync(dist, { recursive: true, force: true });
for (const { folder, type, project } of FORMATS) {
  const out = join(dist, folder);
  execFileSync(process.execPath, [TSC, "-p", join(PACKAGE, project), "--outDir", out], { stdio: "inherit" });
  writeFileSync(join(out, "package.json"), `${JSON.stringify({ type, sideEffects: false })}\n`);
}
