import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { readCorpus } from "./parsers/corpus.ts";
import { problemOf } from "./parsers/explore.ts";
import { PARSERS } from "./parsers/parsers.ts";

test.each(Object.entries(PARSERS))(
  "%s: no input of its corpus fails with what is not documented, or takes long",
  async (name, parser) => {
    const inputs = [...parser.seeds.map((seed) => Buffer.from(seed, "latin1")), ...readCorpus(name)];
    for (const input of inputs)
      expect(await problemOf(parser, input), JSON.stringify(input.toString("latin1"))).toBeUndefined();
  },
);

test("every corpus is of a parser, and every parser has one", () => {
  const files = readdirSync(new URL("corpus/", import.meta.url));
  expect(files.toSorted()).toEqual(
    Object.keys(PARSERS)
      .map((name) => `${name}.txt`)
      .toSorted(),
  );
});
