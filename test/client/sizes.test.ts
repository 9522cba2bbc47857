import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { run } from "./packed.ts";

const README = new URL("../../clients/typescript/README.md", import.meta.url);
/** Most kB of what a page loads, and of what a server does. */
const PAGE_KB_MAX = 67;
const SERVER_KB_MAX = 43;
const PAGES = ["@latchkey/client", "@latchkey/client/react"];
/** By how much the README may be out of date, so that not every change of a line changes it. */
const TOLERANCE_KB = 1;

const sizesIn = (text: string) =>
  new Map(
    [...text.matchAll(/^\| `(@latchkey\/client[/\w]*)` +\| +([\d.]+) kB \|$/gm)].map(([, name, kb]) => [
      name,
      Number(kb),
    ]),
  );

test("each entry of the client is as small as the README says, and below its limit", async () => {
  const { stdout } = await run(process.execPath, ["scripts/client-sizes.mjs"]);
  console.log(stdout);
  const [measured, said] = [sizesIn(stdout), sizesIn(await readFile(README, "utf8"))];
  expect([...said.keys()]).toEqual([...measured.keys()]);
  expect(measured.size).toBe(7);
  for (const [name = "", kb] of measured) {
    expect(Math.abs(kb - (said.get(name) ?? 0)), `${name}: run node scripts/client-sizes.mjs`).toBeLessThan(
      TOLERANCE_KB,
    );
    expect(kb, name).toBeLessThan(PAGES.includes(name) ? PAGE_KB_MAX : SERVER_KB_MAX);
    expect(kb, name).toBeGreaterThan(10);
  }
});
