import "../styles/usage.css";
import { type ReactNode, useId, useMemo, useState } from "react";
import { Bars, type Layer } from "./bars.tsx";
import { Swatch } from "./hatches.tsx";
import type { Unit } from "./period.ts";
import { reasonInWords } from "./reasons.ts";
import { stepInWords, zoneNote } from "./step-time.ts";
import { DENIED, SUCCESSFUL, toneOf } from "./tones.ts";
import { UsageTable } from "./usage-table.tsx";
import { deniedIn, type Sums, sumsOf, type Uses } from "./uses.ts";

interface UsageChartProps {
  readonly uses: readonly Uses[];
  readonly unit: Unit;
  /** The reason that is chosen; empty: none. */
  readonly reason?: string;
  /** Undefined: a reason cannot be chosen. */
  readonly onReason?: (reason: string) => void;
  /** Whether to leave out the table and the note, where another page has them. */
  readonly isBrief?: boolean;
}

/** Requests over time, and the denials among them by reason: in a sentence, as bars and as a table. */
export function UsageChart({ uses, unit, reason = "", onReason, isBrief = false }: UsageChartProps) {
  const [index, setIndex] = useState<number | null>(null);
  const times = useMemo(() => uses.map(({ from }) => from), [uses]);
  const sums = useMemo(() => sumsOf(uses), [uses]);
  const requests = useMemo(() => requestLayers(uses), [uses]);
  const reasons = useMemo(() => reasonLayers(uses, sums), [uses, sums]);
  const from = index === null ? undefined : times[index];
  const at = from && stepInWords(from, unit);
  const shared = { times, unit, step: index, onStep: setIndex };
  const summary = peakOf(uses, unit);
  return (
    <div className="usage">
      <div className="usage-figures">
        <figure>
          <figcaption>Requests</figcaption>
          <Bars {...shared} layers={requests} label={`Requests by ${unit}. ${countsOf(requests)}. ${summary}`} />
          <Legend layers={requests} index={index} at={at} />
        </figure>
        {reasons.length > 0 && (
          <figure>
            <figcaption>Denials by reason</figcaption>
            <Bars {...shared} layers={reasons} label={`Denials by reason and ${unit}. ${countsOf(reasons)}.`} />
            <Legend layers={reasons} index={index} at={at} chosen={reason} onChoose={onReason} />
          </figure>
        )}
      </div>
      {!isBrief && (
        <>
          <p className="hint">
            {summary} {zoneNote(unit)}
          </p>
          <details>
            <summary>Show as a table</summary>
            <UsageTable uses={uses} sums={sums} unit={unit} />
          </details>
        </>
      )}
    </div>
  );
}

interface LegendProps {
  readonly layers: readonly Layer[];
  readonly index: number | null;
  readonly at: string | undefined;
  readonly chosen?: string;
  readonly onChoose?: ((name: string) => void) | undefined;
}

/** The marks of the layers, with the counts of the step below the pointer or of the whole period. */
function Legend({ layers, index, at, chosen = "", onChoose }: LegendProps) {
  return (
    <div className="legend">
      <p className="quiet">{at ?? "Whole period"}</p>
      <ul>
        {layers.map((layer) => (
          <li key={layer.name}>
            <Entry layer={layer} chosen={chosen} onChoose={onChoose}>
              {((index === null ? undefined : layer.values[index]) ?? sumOf(layer)).toLocaleString("en")}
            </Entry>
          </li>
        ))}
      </ul>
    </div>
  );
}

interface EntryProps extends Required<Pick<LegendProps, "chosen">>, Pick<LegendProps, "onChoose"> {
  readonly layer: Layer;
  readonly children: ReactNode;
}

function Entry({ layer: { name, label, tone }, chosen, onChoose, children }: EntryProps) {
  const id = useId();
  const content = (
    <>
      <Swatch id={id} tone={tone} />
      {label} <strong>{children}</strong>
    </>
  );
  if (onChoose === undefined) return content;
  return (
    <button
      type="button"
      className="legend-choice"
      title="Show the keys"
      aria-pressed={name === chosen}
      onClick={() => onChoose(name === chosen ? "" : name)}
    >
      {content}
    </button>
  );
}

function requestLayers(uses: readonly Uses[]): Layer[] {
  return [
    {
      name: "successful",
      label: "Successful",
      tone: SUCCESSFUL,
      values: uses.map(({ successful }) => successful),
    },
    { name: "denied", label: "Denied", tone: DENIED, values: uses.map(deniedIn) },
  ];
}

/** The most frequent reason is the lowest. */
function reasonLayers(uses: readonly Uses[], { reasons }: Sums): Layer[] {
  return reasons.map(({ reason }) => ({
    name: reason,
    label: reasonInWords(reason),
    tone: toneOf(reason),
    values: uses.map(({ denied }) => denied[reason] ?? 0),
  }));
}

function countsOf(layers: readonly Layer[]): string {
  return layers.map((layer) => `${layer.label}: ${sumOf(layer).toLocaleString("en")}`).join(", ");
}

function sumOf({ values }: Layer): number {
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
