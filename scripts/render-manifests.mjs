import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * `node scripts/render-manifests.mjs [folder] [helm]`: writes the manifests for kustomize, which are what helm makes of the
 * chart's default values: one source for both. `npm run test:peers` compares what is committed with what this writes.
 */
const ROOT = fileURLToPath(new URL("../", import.meta.url));
const [folder = join(ROOT, "deploy/kustomize"), helm = "helm"] = process.argv.slice(2);
/** helm asks no cluster for its version here, and one that `go install` has built would assume 1.20. */
const KUBERNETES = "1.33.0";
const HEADER = "# Rendered from the chart in deploy/helm: change that, then run node scripts/render-manifests.mjs.\n";

const args = [
  "template",
  "latchkey",
  "deploy/helm/latchkey",
  "--kube-version",
  KUBERNETES,
  "--set",
  "migration.hook=false",
];
const rendered = execFileSync(helm, args, { cwd: ROOT, encoding: "utf8" });
const documents = rendered
  .split(/^---$/m)
  .map((document) => document.replace(/^\n?# Source: .*\n/, "").trim())
  .filter((document) => document !== "");
const isOfMigration = (document) => /^ {2}name: latchkey-migrate$/m.test(document);
write(
  "base/latchkey.yaml",
  documents.filter((document) => !isOfMigration(document)),
);
write("migrate/migrate.yaml", documents.filter(isOfMigration));

function write(name, parts) {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${HEADER}---\n${parts.join("\n---\n")}\n`);
}
