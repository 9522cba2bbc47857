import "uplot/dist/uPlot.min.css";
import { useEffect, useRef, useSyncExternalStore } from "react";
import uPlot from "uplot";
import type { Mark } from "./marks.tsx";
import type { Unit } from "./period.ts";
import { tickOf } from "./step-time.ts";

export interface Line {
  readonly label: string;
  readonly mark: Mark;
  /** One for each step. */
  readonly values: readonly number[];
  /** Whether the area below has the line's colour, too. */
  readonly hasArea?: boolean;
}

interface PlotProps {
  /** When each step begins. */
  readonly times: readonly Date[];
  readonly lines: readonly Line[];
  readonly unit: Unit;
  /** What a reader sees, in words. */
  readonly label: string;
  /** Plots of the same group share the cursor. */
  readonly group: string;
  /** The step below the cursor; null: none. Must be the same function over renders, as the other members. */
  readonly onStep: (index: number | null) => void;
}

const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 86_400;
const TIME_STEPS = {
  hour: [1, 2, 3, 6, 12, 24, 48, 168].map((hours) => hours * HOUR_SECONDS),
  day: [1, 2, 3, 5, 7, 14, 28].map((days) => days * DAY_SECONDS),
};
const COUNT_STEPS = Array.from({ length: 16 }, (_, n) => [1, 2, 5].map((first) => first * 10 ** n)).flat();
const COUNT = new Intl.NumberFormat("en", { notation: "compact" });
const TICK_SPACE = 72;
const MARKER_SPACE = 36;

const DARK = matchMedia("(prefers-color-scheme: dark)");

/** Lines over time on a canvas as wide as its container, in the colours of the stylesheet. */
export function Plot({ times, lines, unit, label, group, onStep }: PlotProps) {
  const place = useRef<HTMLDivElement>(null);
  const isDark = useSyncExternalStore(onSchemeChange, () => DARK.matches);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the scheme changes the colours that the stylesheet has
  useEffect(() => {
    if (place.current === null) return;
    const host = place.current;
    const data: uPlot.AlignedData = [
      times.map((time) => time.getTime() / 1_000),
      ...lines.map(({ values }) => [...values]),
    ];
    const plot = new uPlot(optionsOf(host, { lines, unit, group, onStep }), data, host);
    const observer = new ResizeObserver(() => plot.setSize(sizeOf(host)));
    observer.observe(host);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [times, lines, unit, group, onStep, isDark]);
  return <div className="plot" role="img" aria-label={label} ref={place} />;
}

function onSchemeChange(listener: () => void): () => void {
  DARK.addEventListener("change", listener);
  return () => DARK.removeEventListener("change", listener);
}

function optionsOf(
  host: HTMLElement,
  { lines, unit, group, onStep }: Pick<PlotProps, "lines" | "unit" | "group" | "onStep">,
): uPlot.Options {
  const font = `12px ${getComputedStyle(host).fontFamily}`;
  const axis = { font, stroke: colorOf(host, "var(--quiet)"), ticks: { show: false } };
  const grid = { stroke: colorOf(host, "var(--line)"), width: 1 };
  return {
    ...sizeOf(host),
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, sync: { key: group } },
    tzDate: (seconds) => {
      const date = new Date(seconds * 1_000);
      return unit === "day" ? uPlot.tzDate(date, "Etc/UTC") : date;
    },
    scales: { y: { range: (_plot, _min, max) => [0, Math.max(4, Math.ceil(max * 1.1))] } },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 28,
        incrs: TIME_STEPS[unit],
        space: TICK_SPACE,
        values: (_plot, splits) => splits.map((seconds) => tickOf(new Date(seconds * 1_000), unit)),
      },
      { ...axis, grid, incrs: COUNT_STEPS, values: (_plot, splits) => splits.map((count) => COUNT.format(count)) },
    ],
    series: [
      {},
      ...lines.map(({ label, mark: { color, dash }, hasArea }) => ({
        label,
        stroke: colorOf(host, `var(${color})`),
        width: 2,
        dash: [...dash],
        points: { show: false },
        ...(hasArea && { fill: colorOf(host, `color-mix(in srgb, var(${color}) 14%, transparent)`) }),
      })),
    ],
    hooks: {
      setCursor: [(plot) => onStep(plot.cursor.idx ?? null)],
      drawSeries: [
        (plot, index) => {
          const line = lines[index - 1];
          if (line !== undefined) drawMarkers(plot, line, colorOf(host, `var(${line.mark.color})`));
        },
      ],
    },
  };
}

/** Markers at the highest points, far enough from each other to be known. */
function drawMarkers(plot: uPlot, { mark, values }: Line, color: string): void {
  const { ctx } = plot;
  const [times = []] = plot.data;
  const ratio = devicePixelRatio;
  const shape = new Path2D(mark.shape);
  const every = Math.max(1, Math.ceil((values.length * MARKER_SPACE * ratio) / plot.bbox.width));
  for (let start = 0; start < values.length; start += every) {
    const highest = highestIn(values, start, start + every);
    const value = values[highest] ?? 0;
    if (value === 0) continue;
    ctx.save();
    ctx.translate(plot.valToPos(times[highest] ?? 0, "x", true), plot.valToPos(value, "y", true));
    ctx.scale(ratio, ratio);
    ctx.fillStyle = color;
    ctx.strokeStyle = color;
    ctx.lineWidth = 2;
    ctx.setLineDash([]);
    ctx.fill(shape);
    ctx.stroke(shape);
    ctx.restore();
  }
}

function highestIn(values: readonly number[], from: number, to: number): number {
  let highest = from;
  for (let n = from; n < Math.min(to, values.length); n++) {
    if ((values[n] ?? 0) > (values[highest] ?? 0)) highest = n;
  }
  return highest;
}

function sizeOf({ clientWidth, clientHeight }: HTMLElement): { width: number; height: number } {
  return { width: clientWidth, height: clientHeight };
}

/** A colour of the stylesheet as it is now. A variable's own value has both schemes, which a canvas cannot read. */
function colorOf(place: HTMLElement, css: string): string {
  const probe = document.createElement("span");
  probe.style.color = css;
  place.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
