/**
 * Headers of an answer with lower-case names, in the form that `writeHead` takes: alternating names and values. A `Headers`
 * object costs more than most calls.
 */
export class PlainHeaders {
  readonly list: string[] = [];

  constructor(headers?: Readonly<Record<string, string>>) {
    if (headers !== undefined) for (const [name, value] of Object.entries(headers)) this.list.push(name, value);
  }

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

  #find(name: string): number {
    for (let n = 0; n < this.list.length; n += 2) if (this.list[n] === name) return n;
    return -1;
  }
}

/** Headers that can be set: `Headers` or `PlainHeaders`. */
export type HeaderSink = Pick<Headers, "set" | "append">;
