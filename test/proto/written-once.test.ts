import { readdir, readFile } from "node:fs/promises";
import { expect, test } from "vitest";

const SERVICE = new URL("../../gen/latchkey/v1/", import.meta.url);
const CLIENT = new URL("../../clients/typescript/src/gen/latchkey/v1/", import.meta.url);
/** An import, a comment of the generator, or nothing. */
const SHARED = /^(?:import .*|\/[/*].*)?$/;

const linesOf = async (file: URL) => (await readFile(file, "utf8")).split("\n");

test("the service generates no type, comment or enum that the client's generated code has", async () => {
  const own = new Set(await readdir(SERVICE));
  const both = (await readdir(CLIENT)).filter((name) => own.has(name));
  expect(both.length).toBeGreaterThan(25);
  for (const name of both) {
    const ofClient = new Set(await linesOf(new URL(name, CLIENT)));
    const repeated = (await linesOf(new URL(name, SERVICE))).filter((line) => ofClient.has(line));
    expect(
      repeated.filter((line) => !SHARED.test(line)),
      name,
    ).toEqual([]);
  }
});
