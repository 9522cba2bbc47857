import { type PointerEvent, useId, useLayoutEffect, useRef, useState } from "react";
import { Hatches, hatchOf } from "./hatches.tsx";
import type { Unit } from "./period.ts";
import { countScale } from "./scale.ts";
import { tickOf } from "./step-time.ts";
import { styleOf, type Tone } from "./tones.ts";

/** One layer of the bars. */
export interface Layer {
  readonly name: string;
  readonly label: string;
  readonly tone: Tone;
  /** One for each step. */
  readonly values: readonly number[];
}

interface BarsProps {
  /** When each step begins; the last one is under way. */
  readonly times: readonly Date[];
  /** From below. */
  readonly layers: readonly Layer[];
  readonly unit: Unit;
  /** What a reader sees, in words. */
  readonly label: string;
  /** The step below the pointer, or null. */
  readonly step: number | null;
  readonly onStep: (step: number | null) => void;
}

const HEIGHT = 180;
const TOP = 8;
const BOTTOM = 22;
const RIGHT = 4;
const AXIS = 44;
/** px between two names on the axis of time. */
const TICK_SPACE = 84;
const COUNT = new Intl.NumberFormat("en", { notation: "compact" });

/** Bars over time, a layer upon another, as wide as their container. */
export function Bars({ times, layers, unit, label, step, onStep }: BarsProps) {
  const id = useId();
  const [place, width] = useWidth();
  const sums = times.map((_, n) => layers.reduce((sum, { values }) => sum + (values[n] ?? 0), 0));
  const { top, lines } = countScale(Math.max(0, ...sums));
  const plotted = Math.max(0, width - AXIS - RIGHT);
  const slot = plotted / times.length;
  const yOf = (count: number): number => HEIGHT - BOTTOM - (count / top) * (HEIGHT - TOP - BOTTOM);
  const xOf = (n: number): number => AXIS + n * slot;
  const gap = Math.min(4, slot * 0.2);
  const follow = ({ clientX, currentTarget }: PointerEvent<SVGSVGElement>): void => {
    const n = Math.floor((clientX - currentTarget.getBoundingClientRect().left - AXIS) / slot);
    onStep(n >= 0 && n < times.length ? n : null);
  };
  const every = Math.max(1, Math.ceil(TICK_SPACE / Math.max(slot, 0.1)));
  return (
    <div className="bars" ref={place}>
      {width > 0 && (
        <svg
          role="img"
          aria-label={label}
          width={width}
          height={HEIGHT}
          onPointerMove={follow}
          onPointerLeave={() => onStep(null)}
        >
          <Hatches id={id} />
          {lines.map((count) => (
            <g key={count}>
              <path className="bars-line" d={`M${AXIS} ${yOf(count)}H${width - RIGHT}`} />
              <text className="bars-count" x={AXIS - 8} y={yOf(count) + 4}>
                {COUNT.format(count)}
              </text>
            </g>
          ))}
          {step !== null && <rect className="bars-cursor" x={xOf(step)} y={TOP} width={slot} height={yOf(0) - TOP} />}
          {times.map((time, n) => (
            <g key={time.getTime()} className={n === times.length - 1 ? "bar-open" : undefined}>
              {stackOf(layers, n).map(({ layer, from, to }) => {
                const shape = { x: xOf(n) + gap / 2, width: slot - gap, y: yOf(to), height: yOf(from) - yOf(to) };
                return (
                  <g key={layer.name} style={styleOf(layer.tone)} data-layer={layer.name}>
                    <rect className="bar" {...shape} />
                    <rect className="bar-hatch" {...shape} fill={hatchOf(id, layer.tone)} />
                  </g>
                );
              })}
            </g>
          ))}
          {times.map(
            (time, n) =>
              (times.length - 1 - n) % every === 0 &&
              xOf(n) - AXIS >= TICK_SPACE / 3 && (
                <text
                  className="bars-time"
                  key={time.getTime()}
                  x={Math.min(xOf(n) + slot / 2, width - 24)}
                  y={HEIGHT - 5}
                >
                  {tickOf(time, unit)}
                </text>
              ),
          )}
        </svg>
      )}
    </div>
  );
}

interface Piece {
  readonly layer: Layer;
  /** Counts at its lower and upper edge. */
  readonly from: number;
  readonly to: number;
}

function stackOf(layers: readonly Layer[], step: number): Piece[] {
  let from = 0;
  return layers.flatMap((layer) => {
    const value = layer.values[step] ?? 0;
    if (value === 0) return [];
    const piece = { layer, from, to: from + value };
    from = piece.to;
    return [piece];
  });
}

/** The width of an element, in CSS pixels, as it changes. 0 at first. */
function useWidth() {
  const place = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    if (place.current === null) return;
    const host = place.current;
    setWidth(host.clientWidth);
    const observer = new ResizeObserver(() => setWidth(host.clientWidth));
    observer.observe(host);
    return () => observer.disconnect();
  }, []);
  return [place, width] as const;
}
