// promise: imported.peppers
import { expect, test } from "vitest";
import { keyFormat } from "../../test/harness/key-format-vectors.ts";
import { compileFormats } from "../domain/key-formats/compiled.ts";
import { createPepperedKeys } from "./peppered-keys.ts";

const format = keyFormat({ name: "acme", prefix: "acme_", algorithm: "HMAC_SHA256", pepper: "acme" });

function compiled() {
  const found = compileFormats({ formats: [format] }, new Map()).named("acme");
  if (found === undefined) throw new Error("there is the format");
  return found;
}

/** What an edge has asked the service for. */
function start(mayKeep: boolean) {
  const asked: string[] = [];
  const hashPeppered = createPepperedKeys(async (text) => {
    asked.push(text);
    return { secretHash: `hash of ${text}`, mayKeep };
  });
  return { asked, hashPeppered };
}

test("the hash of a key is asked for once, while its format is the same record", async () => {
  const { asked, hashPeppered } = start(true);
  const now = compiled();
  expect(await hashPeppered(now, "acme_1")).toBe("hash of acme_1");
  expect(hashPeppered(now, "acme_1")).toBe("hash of acme_1");
  expect(asked).toEqual(["acme_1"]);
  expect(await hashPeppered(compiled(), "acme_1")).toBe("hash of acme_1");
  expect(asked).toEqual(["acme_1", "acme_1"]);
});

test("the hash of an unknown text is not kept, so that guesses evict no hash of a key", async () => {
  const { asked, hashPeppered } = start(false);
  const now = compiled();
  for (const _ of [1, 2]) await hashPeppered(now, "acme_1");
  expect(asked).toEqual(["acme_1", "acme_1"]);
});
