/**
 * Headers of an answer by their lower-case names, as `writeHead` takes them: names and values in turns. A `Headers` costs
 * more than most calls.
 */
export class PlainHeaders {
  readonly list: string[] = [];

  set(name: string, value: string): void {
    const at = this.#find(name);
    if (at < 0) this.list.push(name, value);
    else this.list[at + 1] = value;
  }

  append(name: string, value: string): void {
    const at = this.#find(name);
    if (at < 0) this.list.push(name, value);
    else this.list[at + 1] += `, ${value}`;
  }

  toHeaders(): Headers {
    const headers = new Headers();
    for (let n = 0; n + 1 < this.list.length; n += 2) headers.set(this.list[n] ?? "", this.list[n + 1] ?? "");
    return headers;
  }

  #find(name: string): number {
    for (let n = 0; n < this.list.length; n += 2) if (this.list[n] === name) return n;
    return -1;
  }
}

/** What marks an answer's headers, whichever kind they are. */
export type HeaderSink = Pick<Headers, "set" | "append">;
