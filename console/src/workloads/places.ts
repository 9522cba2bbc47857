import { PRESETS } from "./presets.ts";

const PLACE = /<[^<>]+>/g;
const KNOWN: ReadonlySet<string> = new Set(
  PRESETS.flatMap(({ issuer, audience = "", claims }) =>
    [issuer, audience, ...claims.map(({ value }) => value)].flatMap((text) => text.match(PLACE) ?? []),
  ),
);

/** The placeholders of presets, such as `<repository id>`, as far as these texts still have it. */
export function placesIn(texts: readonly string[]): string[] {
  return texts.flatMap((text) => text.match(PLACE) ?? []).filter((place) => KNOWN.has(place));
}
