import { HATCHES, type Hatch, styleOf, type Tone } from "./tones.ts";

/** Lines and dots in a square of 6 px, which is repeated. */
const PATHS: Readonly<Record<Exclude<Hatch, "plain">, string>> = {
  rising: "M-1 1L1 -1M0 6L6 0M5 7L7 5",
  falling: "M-1 5L1 7M0 0L6 6M5 -1L7 1",
  level: "M0 3H6",
  cross: "M0 0L6 6M0 6L6 0",
  dots: "M1.5 1.5h2v2h-2z",
};

/** Definitions for `hatchOf`, once in each picture. `id` is unique in the page. */
export function Hatches({ id }: { id: string }) {
  return (
    <defs>
      {HATCHES.map(
        (hatch) =>
          hatch !== "plain" && (
            <pattern key={hatch} id={`${id}-${hatch}`} width="6" height="6" patternUnits="userSpaceOnUse">
              <path className={hatch === "dots" ? "hatch-dots" : "hatch"} d={PATHS[hatch]} />
            </pattern>
          ),
      )}
    </defs>
  );
}

/** What to fill a shape with that lies over one of the tone's colour. */
export function hatchOf(id: string, { hatch }: Tone): string {
  return hatch === "plain" ? "none" : `url(#${id}-${hatch})`;
}

/** A piece of the tone, for a legend. `id` is unique in the page. */
export function Swatch({ id, tone }: { id: string; tone: Tone }) {
  return (
    <svg className="swatch" viewBox="0 0 14 14" aria-hidden="true" style={styleOf(tone)} data-hatch={tone.hatch}>
      <Hatches id={id} />
      <rect width="14" height="14" rx="3" fill="currentColor" />
      <rect width="14" height="14" rx="3" fill={hatchOf(id, tone)} />
    </svg>
  );
}
