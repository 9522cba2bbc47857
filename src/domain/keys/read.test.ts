import { expect, test } from "vitest";
import { newId } from "../ids.ts";
import { keyNotFound, possibleKeyId } from "./read.ts";

test("an id that is too long for a key is answered as an unknown one, without a look-up", () => {
  for (const id of [newId("key"), "", " key_x ", "x".repeat(72)]) expect(possibleKeyId(id)).toBe(id);
  for (const id of ["x".repeat(73), "x".repeat(1_000_000)]) {
    expect(() => possibleKeyId(id)).toThrow(keyNotFound());
  }
});
