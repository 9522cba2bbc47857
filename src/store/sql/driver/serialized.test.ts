import { expect, test } from "vitest";
import { createSerialize } from "./serialized.ts";

test("work of one name runs one after the other, in order, also after a failure; other names do not wait", async () => {
  const serialize = createSerialize();
  const log: string[] = [];
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const work = (name: string, gate?: Promise<void>) => async () => {
    log.push(`begin ${name}`);
    await gate;
    log.push(`end ${name}`);
    if (name === "a1") throw new Error("failed");
    return name;
  };
  const first = serialize("a", work("a1", gates[0]?.promise));
  const second = serialize("a", work("a2", gates[1]?.promise));
  const third = serialize("a", work("a3"));
  expect(await serialize("b", work("b1"))).toBe("b1");
  expect(log).toEqual(["begin a1", "begin b1", "end b1"]);
  gates[0]?.resolve();
  await expect(first).rejects.toThrow("failed");
  gates[1]?.resolve();
  expect(await Promise.all([second, third])).toEqual(["a2", "a3"]);
  expect(log.slice(3)).toEqual(["end a1", "begin a2", "end a2", "begin a3", "end a3"]);
});
