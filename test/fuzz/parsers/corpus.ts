import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const FOLDER = new URL("../corpus/", import.meta.url);

/** The inputs that are kept of a parser: an input on each line, as a JSON text of which a character is a byte. */
export function readCorpus(name: string): Buffer[] {
  const lines = readFileSync(fileOf(name), { encoding: "utf8", flag: "a+" }).split("\n");
  return lines.filter((line) => line !== "").map((line) => Buffer.from(JSON.parse(line), "latin1"));
}

/** The shortest first. */
export function writeCorpus(name: string, inputs: readonly Buffer[]): void {
  const texts = inputs.map((input) => input.toString("latin1")).sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
  writeFileSync(fileOf(name), texts.map((text) => `${asciiJson(text)}\n`).join(""));
}

function fileOf(name: string): string {
  return fileURLToPath(new URL(`${name}.txt`, FOLDER));
}

/** What an editor would not show, or would change, is escaped. */
function asciiJson(text: string): string {
  return JSON.stringify(text).replace(/[\x7f-\xff]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`);
}
