// Removes the packages' `engines` from package-lock.json. npm compares them with the Node that runs npm, and would print 18 warnings on
// Node 20, although the packages run on the Node 24 that the project brings: test/docs/engines.test.ts compares them with that.
// npm runs this script after it has changed the installed packages.
import { readFileSync, writeFileSync } from "node:fs";

const LOCK = new URL("../package-lock.json", import.meta.url);
const text = readFileSync(LOCK, "utf8");
const lock = JSON.parse(text);
for (const [path, entry] of Object.entries(lock.packages)) if (path.includes("node_modules/")) delete entry.engines;
const without = `${JSON.stringify(lock, null, 2)}\n`;
// A checkout may be read-only.
if (without !== text) writeFileSync(LOCK, without);
