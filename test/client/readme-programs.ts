import { readFile } from "node:fs/promises";

const README = new URL("../../clients/typescript/README.md", import.meta.url);

/** The programs in the client's README that are in a language, `ts` or `tsx`. */
export async function readmePrograms(language: string): Promise<string[]> {
  const fence = new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "gms");
  return [...(await readFile(README, "utf8")).matchAll(fence)].map(([, program = ""]) => program);
}
