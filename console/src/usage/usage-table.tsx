import { ScrollRegion } from "../ui/scroll-region.tsx";
import type { Unit } from "./period.ts";
import { reasonInWords } from "./reasons.ts";
import { stepInWords } from "./step-time.ts";
import { deniedIn, type Sums, type Uses } from "./uses.ts";

const HEADS = { hour: "Hour", day: "Day (UTC)" } as const;

/** The counts of each step with a request, newest first, with each reason in a column of its own. */
export function UsageTable({ uses, sums, unit }: { uses: readonly Uses[]; sums: Sums; unit: Unit }) {
  const used = uses.filter((step) => step.successful + deniedIn(step) > 0).toReversed();
  return (
    <ScrollRegion label={`Requests by ${unit}`} className="usage-table">
      <table>
        <caption className="hidden">
          Requests by {unit}, newest first; those of each reason of denial are in the last columns.
        </caption>
        <thead>
          <tr>
            <th scope="col">{HEADS[unit]}</th>
            <Heads names={["Successful", "Denied", ...sums.reasons.map(({ reason }) => reasonInWords(reason))]} />
          </tr>
        </thead>
        <tbody>
          {used.map((step) => (
            <tr key={step.from.getTime()}>
              <th scope="row">{stepInWords(step.from, unit)}</th>
              <Counts counts={[step.successful, deniedIn(step)]} />
              <Counts counts={sums.reasons.map(({ reason }) => step.denied[reason] ?? 0)} />
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">Whole period</th>
            <Counts counts={[sums.successful, sums.denied, ...sums.reasons.map(({ count }) => count)]} />
          </tr>
        </tfoot>
      </table>
      {used.length < uses.length && (
        <p className="hint">
          {(uses.length - used.length).toLocaleString("en")} {unit}s without a request are left out.
        </p>
      )}
    </ScrollRegion>
  );
}

function Heads({ names }: { names: readonly string[] }) {
  return names.map((name) => (
    <th key={name} scope="col" className="number">
      {name}
    </th>
  ));
}

function Counts({ counts }: { counts: readonly number[] }) {
  return counts.map((count, column) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the columns are the same for each row
    <td key={column} className="number">
      {count.toLocaleString("en")}
    </td>
  ));
}
