import { mediaRanges } from "../request/accept.ts";

export const OPEN_METRICS_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/** A counter's line of type or help in Prometheus' format, whose family's name has the suffix that OpenMetrics leaves out. */
const COUNTER_TYPE = /^# TYPE (\S+) counter$/gm;
const HELP = /^# HELP (\S+) (.*)$/gm;
const TOTAL = /_total$/;

/**
 * Whether a scraper prefers OpenMetrics 1.0 to Prometheus' own text format (RFC 9110, 12.5.1), as Prometheus itself does.
 * Without an `Accept`, or with one of `*`, it gets the text format.
 */
export function prefersOpenMetrics(accept: string | undefined): boolean {
  if (accept === undefined || !/openmetrics/i.test(accept)) return false;
  let openMetrics = 0;
  let text = 0;
  for (const { type, parameters, quality } of mediaRanges(accept)) {
    if (type === "text/plain") text = Math.max(text, quality);
    const isKnown = (parameters.get("version") ?? "1.0.0") === "1.0.0";
    if (type === "application/openmetrics-text" && isKnown) openMetrics = Math.max(openMetrics, quality);
  }
  return openMetrics > 0 && openMetrics >= text;
}

/**
 * Converts Prometheus' text format to OpenMetrics. A registry of prom-client can write OpenMetrics itself, but renames its
 * counters for good when it does, and the supervisor of several workers sends only text.
 */
export function toOpenMetrics(text: string): string {
  const counters = new Set([...text.matchAll(COUNTER_TYPE)].map(([, name]) => name));
  const lines = text
    .replaceAll(COUNTER_TYPE, (_line, name: string) => `# TYPE ${name.replace(TOTAL, "")} counter`)
    .replaceAll(HELP, (_line, name: string, help: string) => {
      const family = counters.has(name) ? name.replace(TOTAL, "") : name;
      return `# HELP ${family} ${help.replaceAll('"', '\\"')}`;
    })
    .split("\n")
    .filter((line) => line !== "");
  return `${lines.join("\n")}\n# EOF\n`;
}
