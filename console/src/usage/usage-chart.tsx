import "../styles/usage.css";
import { useId, useMemo, useState } from "react";
import { DENIED, REASONS, SUCCESSFUL, Swatch } from "./marks.tsx";
import type { Unit } from "./period.ts";
import { type Line, Plot } from "./plot.tsx";
import { reasonInWords } from "./reasons.ts";
import { stepInWords, zoneNote } from "./step-time.ts";
import { UsageTable } from "./usage-table.tsx";
import { deniedIn, type Sums, sumsOf, type Uses } from "./uses.ts";

/** Requests over time, and the denials among them by reason: in a sentence, as lines and as a table. */
export function UsageChart({ uses, unit }: { uses: readonly Uses[]; unit: Unit }) {
  const group = useId();
  const [index, setIndex] = useState<number | null>(null);
  const times = useMemo(() => uses.map(({ from }) => from), [uses]);
  const sums = useMemo(() => sumsOf(uses), [uses]);
  const requests = useMemo(() => requestLines(uses), [uses]);
  const reasons = useMemo(() => reasonLines(uses, sums), [uses, sums]);
  const from = index === null ? undefined : times[index];
  const at = from && stepInWords(from, unit);
  const shared = { times, unit, group, onStep: setIndex };
  const summary = peakOf(uses, unit);
  return (
    <div className="usage">
      <div className="usage-figures">
        <figure>
          <figcaption>Requests</figcaption>
          <Plot {...shared} lines={requests} label={`Requests by ${unit}. ${countsOf(requests)}. ${summary}`} />
          <Legend lines={requests} index={index} at={at} />
        </figure>
        {reasons.length > 0 && (
          <figure>
            <figcaption>Denials by reason</figcaption>
            <Plot {...shared} lines={reasons} label={`Denials by reason and ${unit}. ${countsOf(reasons)}.`} />
            <Legend lines={reasons} index={index} at={at} />
          </figure>
        )}
      </div>
      <p className="hint">
        {summary} {zoneNote(unit)}
      </p>
      <details>
        <summary>Show as a table</summary>
        <UsageTable uses={uses} sums={sums} unit={unit} />
      </details>
    </div>
  );
}

/** The marks of the lines, with the counts of the step below the cursor or of the whole period. */
function Legend({ lines, index, at }: { lines: readonly Line[]; index: number | null; at: string | undefined }) {
  return (
    <div className="legend">
      <p className="quiet">{at ?? "Whole period"}</p>
      <ul>
        {lines.map((line) => (
          <li key={line.label}>
            <Swatch mark={line.mark} />
            {line.label}{" "}
            <strong>{((index === null ? undefined : line.values[index]) ?? sumOf(line)).toLocaleString("en")}</strong>
          </li>
        ))}
      </ul>
    </div>
  );
}

function requestLines(uses: readonly Uses[]): Line[] {
  return [
    { label: "Successful", mark: SUCCESSFUL, values: uses.map(({ successful }) => successful), hasArea: true },
    { label: "Denied", mark: DENIED, values: uses.map(deniedIn) },
  ];
}

/** A line for each of the most frequent reasons, and one for all others if there are more than marks. */
function reasonLines(uses: readonly Uses[], { reasons }: Sums): Line[] {
  const own = reasons.length <= REASONS.length ? reasons : reasons.slice(0, REASONS.length - 1);
  const others = reasons.slice(own.length);
  const valuesOf = (names: readonly { reason: string }[]): number[] =>
    uses.map(({ denied }) => names.reduce((sum, { reason }) => sum + (denied[reason] ?? 0), 0));
  return REASONS.flatMap((mark, n): Line[] => {
    const reason = own[n];
    if (reason !== undefined) return [{ label: reasonInWords(reason.reason), mark, values: valuesOf([reason]) }];
    return n === own.length && others.length > 0
      ? [{ label: `${others.length} other reasons`, mark, values: valuesOf(others) }]
      : [];
  });
}

function countsOf(lines: readonly Line[]): string {
  return lines.map((line) => `${line.label}: ${sumOf(line).toLocaleString("en")}`).join(", ");
}

function sumOf({ values }: Line): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function peakOf(uses: readonly Uses[], unit: Unit): string {
  const requestsOf = (step: Uses): number => step.successful + deniedIn(step);
  const [first, ...rest] = uses;
  if (first === undefined) return "";
  const peak = rest.reduce((most, step) => (requestsOf(step) > requestsOf(most) ? step : most), first);
  const count = requestsOf(peak);
  if (count === 0) return "There was no request in this period.";
  return `The ${unit} with most requests was ${stepInWords(peak.from, unit)}, with ${count.toLocaleString("en")}.`;
}
