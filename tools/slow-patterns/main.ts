import { globSync, readFileSync } from "node:fs";
import { findSlowPatterns } from "./slow.ts";

/**
 * Fails for each regular expression that takes more than linear time on some text. Part of `npm run lint`: most read what
 * strangers send, and one that is quadratic blocks a process with a header of 16 KiB.
 */
const FOLDERS = ["src", "clients/typescript/src", "console/src", "tools", "scripts", "examples", "docs/.vitepress"];

const files = globSync(
  FOLDERS.map((folder) => `${folder}/**/*.{ts,tsx,js,mjs}`),
  {
    exclude: [
      ...["**/node_modules/**", "**/gen/**", "**/dist/**", "**/cache/**", "**/*.test.ts"],
      // They read the repository's own files, as tests do.
      ...["tools/client-table/**", "tools/release/**", "tools/trace/**", "tools/weight/**", "tools/prose/texts.ts"],
    ],
  },
);
const problems = await findSlowPatterns(files.map((path) => ({ path, text: readFileSync(path, "utf8") })));
for (const problem of problems) process.stderr.write(`${problem}\n`);
process.exitCode = problems.length === 0 ? 0 : 1;
