import { expect, test } from "vitest";
import { loggedError } from "./logged-error.ts";

function logged(err: unknown): string {
  return JSON.stringify(loggedError(err));
}

test("of an error's members only names and codes are logged", () => {
  const refused = Object.assign(new Error("no"), {
    code: "23514",
    constraint: "short",
    detail: "PRIVATE",
    where: "PRIVATE",
    hint: "PRIVATE",
    internalQuery: "PRIVATE",
    params: ["PRIVATE"],
    command: { name: "auth", args: ["PRIVATE"] },
    data: "PRIVATE",
  });
  expect(Object.keys(JSON.parse(logged(refused)))).toEqual(["type", "message", "code", "constraint", "stack"]);
  expect(logged(new Error("outer", { cause: refused }))).not.toContain("PRIVATE");
  expect(logged(new AggregateError([refused, refused], "all"))).not.toContain("PRIVATE");
});

test.each(["22P02", "23514", "P0001", "ZZ001"])(
  "PostgreSQL's messages about values are logged only by their code: %s",
  (code) => {
    const err = Object.assign(new Error("refused row (PRIVATE)\n    at PRIVATE"), { code, severity: "ERROR" });
    const line = loggedError(new Error("outer", { cause: err }));
    expect(JSON.stringify(line)).not.toContain("PRIVATE");
    expect(line).toMatchObject({
      cause: { code, stack: expect.stringMatching(/^Error: PostgreSQL's .*\n +at .*\.ts/) },
    });
  },
);

test.each(["08006", "42703", "53100", "57P01", "XX000"])(
  "what PostgreSQL says of itself, and of our statements, is logged: %s",
  (code) => {
    expect(loggedError(Object.assign(new Error("why"), { code, severity: "ERROR" }))).toMatchObject({ message: "why" });
  },
);

test("the names under which Redis has what it keeps, which have hashes in them, are not logged", () => {
  const message = "ERR unknown command 'EVALSHA', with args beginning with: '5f' '2' 'lk:{q}:rec:PRIVATE'";
  expect(logged(new Error(message))).toMatch(/unknown command 'EVALSHA'"/);
  expect(logged(new Error(message))).not.toContain("PRIVATE");
});

test("however much an error says, and however deep its causes are, its line is bounded", () => {
  let err: unknown = "x".repeat(3_000_000);
  for (let n = 0; n < 100; n++)
    err = n % 2 === 0 ? new Error("x".repeat(1_000_000), { cause: err }) : new AggregateError(Array(100).fill(err));
  expect(logged(err).length).toBeLessThan(1_000_000);
  const circular = new Error("round");
  circular.cause = circular;
  expect(logged(circular).length).toBeLessThan(50_000);
});
