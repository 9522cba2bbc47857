import type { Members } from "../members.ts";
import type { Read } from "../read-result.ts";
import { RECORD_BYTES_MAX, TOO_LONG } from "./bounds.ts";
import type { Container } from "./container.ts";
import { jsonRecord } from "./json-record.ts";
import type { Latin1 } from "./utf8.ts";

/** The objects of a file that has one on each line. */
export class NdjsonRecords implements Container {
  #line = 1;
  #text = "";
  #isTooLong = false;

  *push(text: Latin1): Generator<Read<Members>> {
    let at = 0;
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", at)) {
      this.#add(text.slice(at, end));
      yield* this.end();
      at = end + 1;
    }
    this.#add(text.slice(at));
  }

  *end(): Generator<Read<Members>> {
    const line = this.#line;
    const text = this.#text;
    const isTooLong = this.#isTooLong;
    this.#line += 1;
    this.#text = "";
    this.#isTooLong = false;
    if (isTooLong) yield { line, problem: TOO_LONG };
    else if (text.trim() !== "") yield jsonRecord(line, text);
  }

  #add(part: Latin1): void {
    this.#isTooLong ||= this.#text.length + part.length > RECORD_BYTES_MAX;
    this.#text = this.#isTooLong ? "" : this.#text + part;
  }
}
