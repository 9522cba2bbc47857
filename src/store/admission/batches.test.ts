import { expect, test } from "vitest";
import { createBatches } from "./batches.ts";

/** Asks like a script: all at once, one answer each. */
function recording(answer: (question: string) => string = (question) => question.toUpperCase()) {
  const asked: string[][] = [];
  const ask = createBatches(async (questions: readonly string[]) => {
    asked.push([...questions]);
    return questions.map(answer);
  });
  return { asked, ask };
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

test("questions of one turn are asked together, and each gets its own answer", async () => {
  const { asked, ask } = recording();
  expect(await Promise.all(["a", "b", "a"].map((question) => ask("", question)))).toEqual(["A", "B", "A"]);
  expect(asked).toEqual([["a", "b", "a"]]);
});

test("those of a later turn are not kept waiting for an answer that is under way", async () => {
  const open: (() => void)[] = [];
  const ask = createBatches(
    (questions: readonly string[]) => new Promise<string[]>((resolve) => open.push(() => resolve([...questions]))),
  );
  const first = ask("", "first");
  await nextTurn();
  const second = ask("", "second");
  await nextTurn();
  expect(open).toHaveLength(2);
  for (const answer of open.reverse()) answer();
  expect(await Promise.all([first, second])).toEqual(["first", "second"]);
});

test("those of another group are asked by themselves", async () => {
  const { asked, ask } = recording();
  await Promise.all([ask("{aa}", "a"), ask("{bb}", "b"), ask("{aa}", "c")]);
  expect(asked.sort()).toEqual([["a", "c"], ["b"]]);
});

test("a thousand at once are asked in several commands, none of them longer than 8, and none is lost", async () => {
  const { asked, ask } = recording();
  const questions = Array.from({ length: 1_000 }, (_, n) => `q${n}`);
  expect(await Promise.all(questions.map((question) => ask("", question)))).toEqual(
    questions.map((question) => question.toUpperCase()),
  );
  // None is asked again at the end of the turn: a limit would be spent twice.
  await nextTurn();
  expect(asked.flat()).toEqual(questions);
  expect(Math.max(...asked.map(({ length }) => length))).toBe(8);
});

test("a failure is everybody's who asked in that batch, and nobody else's", async () => {
  let isAway = true;
  const ask = createBatches(async (questions: readonly string[]) => {
    if (isAway) throw new Error("away");
    return [...questions];
  });
  const ended = await Promise.allSettled([ask("", "a"), ask("", "b")]);
  expect(ended.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  isAway = false;
  expect(await ask("", "c")).toBe("c");
});
