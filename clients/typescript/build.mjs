// Builds the package: ES modules in dist/esm, CommonJS in dist/cjs, each with its types. Another folder than dist may be given.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const PACKAGE = dirname(fileURLToPath(import.meta.url));
const TSC = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc");
/** The format of each folder's modules, and of the types beside them, is that of the nearest package.json. */
const FORMATS = [
  { folder: "esm", type: "module", project: "tsconfig.build.json" },
  { folder: "cjs", type: "commonjs", project: "tsconfig.cjs.json" },
];

/** The package's own dependencies. All else that an edge needs is bundled. */
const DEPENDENCIES = /^@(bufbuild\/protobuf|connectrpc\/connect)($|\/)/;
const REPOSITORY = join(PACKAGE, "../..");

const dist = process.argv[2] ?? join(PACKAGE, "dist");
rmSync(dist, { recursive: true, force: true });

/** What decides in the service, from its own sources (ADR 59). */
async function bundleEdge(out, format) {
  const input = join(PACKAGE, "src/edge/index.ts");
  const bundle = await rolldown({ input, platform: "node", external: [DEPENDENCIES, /^node:/] });
  const { output } = await bundle.write({
    file: join(out, "edge/index.js"),
    format,
    codeSplitting: false,
    sourcemap: true,
    // Paths in the repository, wherever its checkout is.
    sourcemapPathTransform: (source, map) => relative(REPOSITORY, resolve(dirname(map), source)),
  });
  writeFileSync(join(out, "edge/LICENSES.txt"), licencesOf(output.flatMap(({ modules = {} }) => Object.keys(modules))));
}

/** The licences of the packages that modules are of. */
function licencesOf(modules) {
  const folders = new Set(modules.flatMap((path) => path.match(/^.*node_modules\/(?:@[^/]+\/)?[^/]+/)?.[0] ?? []));
  return [...folders]
    .toSorted()
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
      return `${name} ${version} (${license})\n\n${file === undefined ? "" : readFileSync(join(folder, file), "utf8")}`;
    })
    .join("\n\n");
}

for (const { folder, type, project } of FORMATS) {
  const out = join(dist, folder);
  execFileSync(process.execPath, [TSC, "-p", join(PACKAGE, project), "--outDir", out], { stdio: "inherit" });
  await bundleEdge(out, folder === "esm" ? "esm" : "cjs");
  writeFileSync(join(out, "package.json"), `${JSON.stringify({ type, sideEffects: false })}\n`);
}
