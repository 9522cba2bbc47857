// promise: usage.series
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RequestFault } from "../vocabulary/request-fault.ts";
import { type PeriodInput, STEPS_MAX, stepsOf, usagePeriod } from "./period.ts";

const NOW = new Date("2027-01-15T08:30:00.123Z");
const NOTHING: PeriodInput = { from: null, to: null, step: null };

/** The first step and the one after the last, as texts. */
function stepsAsked(input: Partial<Record<"from" | "to", string>> & { step?: string }): [string, string] {
  const date = (text: string | undefined) => (text === undefined ? null : new Date(text));
  const { from, to } = usagePeriod({ from: date(input.from), to: date(input.to), step: input.step ?? null }, NOW);
  return [from.toISOString(), to.toISOString()];
}

function faultOf(input: Partial<PeriodInput>): string {
  try {
    usagePeriod({ ...NOTHING, ...input }, NOW);
  } catch (err) {
    if (err instanceof RequestFault) return err.message;
  }
  throw new Error("there was no fault");
}

describe("a period", () => {
  test("is the last 24 hours and the current one, if nothing is said", () => {
    expect(stepsAsked({})).toEqual(["2027-01-14T08:00:00.000Z", "2027-01-15T09:00:00.000Z"]);
    expect(usagePeriod(NOTHING, NOW).step).toBe("hour");
  });

  test("of days is the last 30 and the current one", () => {
    expect(stepsAsked({ step: "day" })).toEqual(["2026-12-16T00:00:00.000Z", "2027-01-16T00:00:00.000Z"]);
  });

  test("has the current step at the very instant at which it begins", () => {
    const { to } = usagePeriod(NOTHING, new Date("2027-01-15T08:00:00.000Z"));
    expect(to.toISOString()).toBe("2027-01-15T09:00:00.000Z");
  });

  test.each([
    ["2027-01-10T07:00:00Z", "2027-01-10T09:00:00Z", "hour", "2027-01-10T07:00:00.000Z", "2027-01-10T09:00:00.000Z"],
    [
      "2027-01-10T07:59:59.999Z",
      "2027-01-10T09:00:00.001Z",
      "hour",
      "2027-01-10T07:00:00.000Z",
      "2027-01-10T10:00:00.000Z",
    ],
    ["2027-01-10T07:59:59Z", "2027-01-10T08:00:00Z", "day", "2027-01-10T00:00:00.000Z", "2027-01-11T00:00:00.000Z"],
    ["2027-01-10T23:59:59Z", "2027-01-12T00:00:00Z", "day", "2027-01-10T00:00:00.000Z", "2027-01-12T00:00:00.000Z"],
    ["1969-12-31T23:30:00Z", "1970-01-01T00:30:00Z", "hour", "1969-12-31T23:00:00.000Z", "1970-01-01T01:00:00.000Z"],
  ])("from %s to %s by the %s has the steps from %s to before %s", (from, to, step, first, end) => {
    expect(stepsAsked({ from, to, step })).toEqual([first, end]);
  });

  test("ends at to and begins so long before, without from", () => {
    expect(stepsAsked({ to: "2026-05-02T12:00:00Z" })).toEqual([
      "2026-05-01T12:00:00.000Z",
      "2026-05-02T12:00:00.000Z",
    ]);
  });

  test("begins no earlier than time does", () => {
    expect(stepsAsked({ to: "0001-01-01T12:00:00Z" })[0]).toBe("0001-01-01T00:00:00.000Z");
  });

  test("may be in the future, where no use is yet", () => {
    expect(stepsAsked({ from: "2030-01-01T00:00:00Z", to: "2030-01-01T01:00:00Z" })[0]).toBe(
      "2030-01-01T00:00:00.000Z",
    );
  });

  test("law: has every step once and in order, the one of from and all that begin before to", () => {
    const instant = fc.date({ min: new Date("2020-01-01"), max: new Date("2020-03-01"), noInvalidDate: true });
    fc.assert(
      fc.property(instant, instant, fc.constantFrom("hour", "day"), (a, b, step) => {
        fc.pre(a.getTime() !== b.getTime());
        const [from, to] = a < b ? [a, b] : [b, a];
        const lengthMs = step === "hour" ? 3_600_000 : 86_400_000;
        const steps = stepsOf(usagePeriod({ from, to, step }, NOW)).map((date) => date.getTime());
        for (const [n, begin] of steps.entries()) {
          expect(begin % lengthMs).toBe(0);
          if (n > 0) expect(begin - (steps[n - 1] ?? 0)).toBe(lengthMs);
        }
        const [first = 0, last = 0] = [steps[0], steps.at(-1)];
        expect(first <= from.getTime() && from.getTime() < first + lengthMs).toBe(true);
        expect(last < to.getTime() && to.getTime() <= last + lengthMs).toBe(true);
      }),
    );
  });
});

describe("a period that cannot be is a fault that names the member:", () => {
  test.each(["", "hours", "HOUR", "minute", "week", "1h"])("the step %j", (step) => {
    expect(faultOf({ step })).toMatch(/^step: must be hour or day, not /);
  });

  test("a step that looks like a key is not repeated", () => {
    expect(faultOf({ step: `sk_${"a".repeat(36)}` })).toBe('step: must be hour or day, not "..."');
  });

  test.each([
    ["2027-01-10T00:00:00Z", "2027-01-10T00:00:00Z", "from: must be before to"],
    ["2027-01-10T00:00:01Z", "2027-01-10T00:00:00Z", "from: must be before to"],
    ["2027-01-16T00:00:00Z", null, "from: must be in the past"],
  ])("from %s to %s", (from, to, message) => {
    expect(faultOf({ from: new Date(from), to: to === null ? null : new Date(to) })).toBe(message);
  });

  test("more than 2,400 steps", () => {
    const hours = (count: number) => ({
      from: new Date("2026-01-01T00:00:00Z"),
      to: new Date(Date.UTC(2026, 0, 1, count)),
    });
    expect(stepsOf(usagePeriod({ ...NOTHING, ...hours(STEPS_MAX) }, NOW))).toHaveLength(2_400);
    expect(faultOf(hours(STEPS_MAX + 1))).toBe(
      "from: must be later: from there to the end are 2401 steps of one hour, and 2400 is the most",
    );
    expect(faultOf({ from: new Date("2000-01-01T00:00:00Z"), step: "day" })).toMatch(
      /^from: must be later: .* one day/,
    );
  });
});
