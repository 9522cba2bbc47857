/** How a line is drawn, so that it is known from others without its colour. */
export interface Mark {
  /** The variable of the stylesheet with its colour. */
  readonly color: string;
  /** Lengths of dashes and gaps in CSS pixels. */
  readonly dash: readonly number[];
  /** The marker at some of its points as an SVG path around 0,0, in CSS pixels. */
  readonly shape: string;
}

const CIRCLE = "M3.5 0A3.5 3.5 0 1 1 -3.5 0A3.5 3.5 0 1 1 3.5 0Z";
const SQUARE = "M-3.25 -3.25H3.25V3.25H-3.25Z";
const TRIANGLE = "M0 -4.25L4.25 3.25H-4.25Z";
const DIAMOND = "M0 -4.75L4.75 0L0 4.75L-4.75 0Z";
const CROSS = "M-3.5 -3.5L3.5 3.5M-3.5 3.5L3.5 -3.5";

export const SUCCESSFUL: Mark = { color: "--good", dash: [], shape: CIRCLE };
export const DENIED: Mark = { color: "--bad", dash: [7, 4], shape: SQUARE };

/** For the reasons of denials, most frequent first; the last one is for all others. */
export const REASONS = [
  { color: "--bad", dash: [7, 4], shape: SQUARE },
  { color: "--accent", dash: [2, 3], shape: TRIANGLE },
  { color: "--warn", dash: [10, 3, 2, 3], shape: DIAMOND },
  { color: "--ink", dash: [], shape: CROSS },
  { color: "--quiet", dash: [4, 2], shape: CIRCLE },
] as const satisfies readonly Mark[];

/** A piece of the line, for a legend. */
export function Swatch({ mark: { color, dash, shape } }: { mark: Mark }) {
  return (
    <svg className="swatch" viewBox="0 0 40 14" aria-hidden="true" style={{ color: `var(${color})` }}>
      <path d="M0 7H40" strokeDasharray={dash.join(" ")} />
      <path d={shape} transform="translate(20 7)" fill="currentColor" />
    </svg>
  );
}
