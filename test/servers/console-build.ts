import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** Builds the console, unless that is done already. */
export async function setup(): Promise<void> {
  await promisify(execFile)(process.execPath, ["scripts/build-console.mjs"]);
}
