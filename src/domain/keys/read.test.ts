import { expect, test } from "vitest";
import { newId } from "../ids.ts";
import { keyNotFound, possibleKeyId } from "./read.ts";

test("what is too long to be the id of a key is answered as an unknown one, and never looked for", () => {
  for (const id of [newId("key"), "", " key_x ", "x".repeat(72)]) expect(possibleKeyId(id)).toBe(id);
  for (const id of ["x".repeat(73), "x".repeat(1_000_000)]) {
    expect(() => possibleKeyId(id)).toThrow(keyNotFound());
  }
});
