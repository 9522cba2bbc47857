// promise: usage.series
import { describe, expect, test } from "vitest";
import { expectInvalid } from "../harness/error-answers.ts";
import type { Answer } from "../harness/http.ts";

/** The errors of a period. Each `<rpc>.error.test.ts` of an RPC that takes one runs them, with the members that it takes. */
export function testPeriodErrors(
  members: readonly ("from" | "to" | "step")[],
  call: (period: object) => Promise<Answer>,
): void {
  describe("a period", () => {
    test.each(["from", "to"])("of which %s is no instant is 400 and names the member", async (member) => {
      for (const value of ["", "yesterday", "2027-01-15", "2027-01-15T08:00:00", 5, true, {}, []])
        expectInvalid(await call({ [member]: value }), member);
    });

    test("that ends before it begins, or when it does, is 400", async () => {
      for (const from of ["2027-01-15T08:00:00Z", "2027-01-15T08:00:00.001Z", "9998-12-31T00:00:00Z"])
        expectInvalid(await call({ from, to: "2027-01-15T08:00:00Z" }), "from", "before to");
    });

    test("that begins in the future and has no end is 400", async () => {
      expectInvalid(await call({ from: "9998-12-31T00:00:00Z" }), "from", "in the past");
    });

    test("of more than 2,400 steps is 400, and the message says how many it has", async () => {
      const from = "2026-01-01T00:00:00Z";
      expect((await call({ from, to: "2026-04-11T00:00:00Z" })).status).toBe(200);
      expectInvalid(await call({ from, to: "2026-04-11T00:00:00.001Z" }), "from", "2401", "2400");
      expectInvalid(await call({ from: "0001-01-01T00:00:00Z" }), "from", "2400");
    });

    test("may be the first or the last that there is", async () => {
      for (const period of [
        { to: "0001-01-01T12:00:00Z" },
        { from: "9998-12-31T23:00:00Z", to: "9998-12-31T23:59:59.999Z" },
      ])
        expect((await call(period)).status).toBe(200);
    });

    if (members.includes("step"))
      test.each(["", "hours", "HOUR", "Day", "minute", "1h", " day", 5, true, {}, ["day"]])(
        "of the step %j is 400 and names the member",
        async (step) => {
          expectInvalid(await call({ step }), "step");
        },
      );
  });
}
