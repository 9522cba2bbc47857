import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parse, parseAllDocuments } from "yaml";
import type { JsonObject } from "../harness/http.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

export function readText(path: string): Promise<string> {
  return readFile(`${ROOT}${path}`, "utf8");
}

/** A YAML file with one document. Merge keys (`<<`) are resolved, as Docker Compose does. */
export async function readYaml(path: string): Promise<JsonObject> {
  return parse(await readText(path), { merge: true });
}

/** The manifests of a text, as a cluster gets them. */
export function manifestsOf(text: string): JsonObject[] {
  return parseAllDocuments(text).flatMap((document) => {
    const manifest: JsonObject | null = document.toJS();
    return manifest === null ? [] : [manifest];
  });
}

/** The pods of what makes pods. */
export function podsOf(manifests: readonly JsonObject[]): JsonObject[] {
  return manifests.flatMap(({ kind, spec }) => (["Deployment", "Job"].includes(kind) ? [spec.template.spec] : []));
}
