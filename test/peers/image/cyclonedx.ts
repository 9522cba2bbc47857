import { execFile } from "node:child_process";
import { access, mkdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { Ajv, type ErrorObject } from "ajv";
import type { JsonObject } from "../../harness/http.ts";

const run = promisify(execFile);
/** CycloneDX' own package, of which only the schemas are used. */
const PACKAGE = "@cyclonedx/cyclonedx-library@10.3.0";
/** Kept between runs. */
const DIR = resolve(".latchkey/peers/cyclonedx-10.3.0");

/** What is wrong with a bill of materials by the schema of its own version. */
export async function problemsOfBom(bom: JsonObject): Promise<ErrorObject[]> {
  await download();
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
  // By the names with which the schema of a bill of materials refers to them.
  for (const name of ["spdx", "jsf-0.82", "cryptography-defs"]) {
    const { $id: _, ...referred } = await schema(name);
    ajv.addSchema(referred, `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`);
  }
  ajv.validate(await schema(`bom-${bom.specVersion}`), bom);
  return ajv.errors ?? [];
}

async function schema(name: string): Promise<JsonObject> {
  return JSON.parse(await readFile(join(DIR, "package/res/schema", `${name}.SNAPSHOT.schema.json`), "utf8"));
}

async function download(): Promise<void> {
  const isThere = await access(join(DIR, "package")).then(
    () => true,
    () => false,
  );
  if (isThere) return;
  await mkdir(DIR, { recursive: true });
  const { stdout } = await run("npm", ["pack", "--silent", "--pack-destination", DIR, PACKAGE]);
  await run("tar", ["-xzf", join(DIR, stdout.trim()), "-C", DIR]);
}
