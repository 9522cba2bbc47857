import { readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { ONE_STORAGE } from "../contract/one-storage.ts";

test("every contract test that runs on one storage is there", async () => {
  const files = await readdir(fileURLToPath(new URL("../contract", import.meta.url)));
  expect(files).toEqual(expect.arrayContaining(Object.keys(ONE_STORAGE).map((name) => `${name}.test.ts`)));
});
