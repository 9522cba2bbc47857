import type { Labels } from "./request-metrics.ts";

/** One line of Prometheus' text format. */
export interface Sample {
  readonly name: string;
  readonly labels: Labels;
  readonly value: number;
}

const LINE = /^(\w+)(?:\{(.*)\})? (\S+)$/gm;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/** All samples of a service's scrape endpoint. */
export async function scrape(url: string): Promise<readonly Sample[]> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Array.from(text.matchAll(LINE), ([, name = "", labels = "", value]) => ({
    name,
    labels: Object.fromEntries(Array.from(labels.matchAll(LABEL), ([, label = "", text = ""]) => [label, text])),
    value: Number(value),
  }));
}

/** The sum of the samples of a name that have these labels; NaN if there is none, as in Prometheus. */
export function sumOf(samples: readonly Sample[], name: string, labels: Labels = {}): number {
  const found = samples.filter(
    (sample) => sample.name === name && Object.entries(labels).every(([label, text]) => sample.labels[label] === text),
  );
  return found.length === 0 ? Number.NaN : found.reduce((sum, { value }) => sum + value, 0);
}
