/** Headers of an answer by their lower-case names, as `writeHead` takes them: a `Headers` costs more than most calls. */
export class PlainHeaders {
  readonly record: Record<string, string> = {};

  set(name: string, value: string): void {
    this.record[name] = value;
  }

  append(name: string, value: string): void {
    const known = this.record[name];
    this.record[name] = known === undefined ? value : `${known}, ${value}`;
  }
}

/** What marks an answer's headers, whichever kind they are. */
export type HeaderSink = Pick<Headers, "set" | "append">;
