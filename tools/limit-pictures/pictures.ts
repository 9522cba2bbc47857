import { type LimiterState, take } from "../../src/domain/limits/budget.ts";
import type { Caps } from "../../src/domain/limits/caps.ts";

export const FOLDER = new URL("../../docs/guides/pictures/", import.meta.url);

const CAP = { requestsPerMinute: 60, requestsPerHour: 0 };
/** The same client each time: 40 requests at once, 2 a second for two minutes, and 40 at once again after 60 s. */
const SECONDS = 120;
const BURSTS_AT_S = [0, 60];
const BURST = 40;
const PER_SECOND = 2;

const PICTURES: readonly (readonly [name: string, title: string, limit: Caps])[] = [
  ["burst-0.svg", "requests_per_minute 60", { ...CAP, burstSize: 0 }],
  ["burst-10.svg", "requests_per_minute 60, burst_size 10", { ...CAP, burstSize: 10 }],
  ["burst-1.svg", "requests_per_minute 60, burst_size 1", { ...CAP, burstSize: 1 }],
];

/** SVG files by their names. */
export function pictures(): readonly (readonly [string, string])[] {
  return PICTURES.map(([name, title, limit]) => [name, drawing(title, simulated(limit))]);
}

/** What became of the requests of one second. */
export interface Second {
  readonly admitted: number;
  readonly denied: number;
}

/** The client's requests, decided by the limiter that the service has. */
export function simulated(limit: Caps): readonly Second[] {
  let state: LimiterState | undefined;
  return Array.from({ length: SECONDS }, (_, second) => {
    const requests = PER_SECOND + (BURSTS_AT_S.includes(second) ? BURST : 0);
    let admitted = 0;
    for (let n = 0; n < requests; n++) {
      // The burst comes first, then the others evenly within the second.
      const ms = Math.floor((Math.max(0, n - requests + PER_SECOND) * 1_000) / PER_SECOND);
      const taken = take([{ state, limit }], 1, second * 1_000 + ms);
      [state] = taken.states;
      if (taken.decision.kind === "allow") admitted++;
    }
    return { admitted, denied: requests - admitted };
  });
}

const WIDTH = 720;
const HEIGHT = 190;
const LEFT = 40;
const BASE = 160;
const SCALE = 2.9;
const STEP = (WIDTH - LEFT - 24) / SECONDS;

function drawing(title: string, seconds: readonly Second[]): string {
  const total = seconds.reduce((sum, { admitted }) => sum + admitted, 0);
  const bars = seconds.map(({ admitted, denied }, second) => {
    const x = (LEFT + second * STEP).toFixed(1);
    return [bar(x, 0, admitted, 'fill="#1d4ed8"'), bar(x, admitted, denied, 'fill="none" stroke="#b45309"')].join("");
  });
  const marks = [0, 30, 60, 90, 120].map(
    (second) => `<text x="${(LEFT + second * STEP).toFixed(1)}" y="178" text-anchor="middle">${second} s</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">
<title>${title}: ${total} requests admitted in ${SECONDS} s</title>
<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>
<text x="${LEFT}" y="16" font-weight="bold">${title}</text>
<text x="${WIDTH - 10}" y="16" text-anchor="end">filled: admitted, ${total} in all; outlined: denied</text>
<line x1="${LEFT}" x2="${WIDTH - 10}" y1="${BASE}" y2="${BASE}" stroke="#555"/>
${bars.join("\n")}
${[...marks, ...[20, 40].map((count) => `<text x="34" y="${BASE - count * SCALE + 4}" text-anchor="end">${count}</text>`)].join("\n")}
</svg>
`;
}

function bar(x: string, from: number, count: number, paint: string): string {
  if (count === 0) return "";
  const height = count * SCALE;
  const y = BASE - from * SCALE - height;
  return `<rect x="${x}" y="${y.toFixed(1)}" width="${(STEP - 1.5).toFixed(1)}" height="${height.toFixed(1)}" ${paint}/>`;
}
