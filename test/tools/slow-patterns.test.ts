// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are code
import { expect, test } from "vitest";
import { findSlowPatterns } from "../../tools/slow-patterns/slow.ts";

const found = (text: string, path = "a.ts") => findSlowPatterns([{ path, text }]);

test("a pattern that is quadratic on some text is found, with its file, its line and such a text", async () => {
  const [problem, another] = await found("const A = 1;\nexport const PAIR = /[ \\t]*(?:x)?[ \\t]*(?:;|$)/y;\n");
  expect(problem).toMatch(/^a\.ts:2: \/\[ \\t\].+\/y is 2nd degree polynomial, such as for '/);
  expect(another).toBeUndefined();
});

test("patterns in component files, of RegExp, and of constants are found", async () => {
  expect(await found("export const B = () => <b>{/x*x*$/.test('')}</b>;", "b.tsx")).toHaveLength(1);
  expect(await found("new RegExp('^(a|a)*$');")).toHaveLength(1);
  expect(await found("const A = String.raw`\\w+`;\nconst B = /x/;\nRegExp(`${B.source}${A}${A}$`, 'i');")).toHaveLength(
    1,
  );
});

test("a pattern of anything but constants is found, since it cannot be checked", async () => {
  const [problem] = await found("export const f = (text: string) => new RegExp(`^${text}`);");
  expect(problem).toMatch(/^a\.ts:1: new RegExp.+ cannot be checked: write it as a literal/);
});

test("linear patterns are fine", async () => {
  expect(await found("const A = /^[a-z]{1,5}$/; new RegExp(`^${A.source}x$`); /,[^,]*/g; /\\d+/.exec('');")).toEqual(
    [],
  );
});
