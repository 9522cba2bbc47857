/** The labels of a sample, by name. */
export type Labels = Readonly<Record<string, string>>;

/** How many requests were observed under each set of labels. */
export interface RequestCount {
  readonly labels: Labels;
  readonly count: number;
}

const SAMPLE = /^latchkey_request_duration_seconds_count\{(.*)\} (\d+)$/gm;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;
const MATCHER = /(\w+)(=~|!~|!=|=)"((?:[^"\\]|\\.)*)"/g;

/** The counts of the request histogram, as a scraper reads them. */
export async function requestCounts(url: string): Promise<RequestCount[]> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Array.from(text.matchAll(SAMPLE), ([, labels = "", count]) => ({
    labels: Object.fromEntries(Array.from(labels.matchAll(LABEL), ([, name = "", value = ""]) => [name, value])),
    count: Number(count),
  }));
}

/** What Prometheus would select by matchers such as `code=~"a|b",procedure!=""`, added up. */
export function selected(counts: readonly RequestCount[], matchers: string): number {
  const tests = Array.from(matchers.matchAll(MATCHER), ([, name = "", operator = "", value = ""]) => {
    const regex = new RegExp(`^(?:${value})$`);
    return (labels: Labels): boolean => {
      const label = labels[name] ?? "";
      const isMatch = operator.endsWith("~") ? regex.test(label) : label === value;
      return operator.startsWith("!") ? !isMatch : isMatch;
    };
  });
  return counts.filter(({ labels }) => tests.every((test) => test(labels))).reduce((sum, { count }) => sum + count, 0);
}
