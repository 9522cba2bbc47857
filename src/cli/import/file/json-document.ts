import type { Members } from "../members.ts";
import type { Read } from "../read-result.ts";
import { RECORD_BYTES_MAX, TOO_LONG } from "./bounds.ts";
import type { Container } from "./container.ts";
import { jsonRecord } from "./json-record.ts";
import type { Latin1 } from "./utf8.ts";

const OUTSIDE = /["{}[\],\n]/g;
const IN_STRING = /["\\\n]/g;
const QUOTED_BYTES_MAX = 64;

/**
 * The records of JSON that is one value, or several values behind one another:
 *
 * - the elements of an array
 * - the elements of an array of an object, if `lists` has the array's name: pages of an API
 * - otherwise the object itself
 *
 * `onPage` gets the other members of each page.
 */
export class JsonDocument implements Container {
  readonly #lists: ReadonlySet<string>;
  readonly #onPage: (page: Members) => void;
  #line = 1;
  #depth = 0;
  /** The depth within the array whose elements are records. 0: outside of such an array. */
  #list = 0;
  #isPage = false;
  #isInString = false;
  #isEscaped = false;
  /** Whether the line has text between values. */
  #isOutside = false;
  /** The last string directly within a page: the name of the member that follows. */
  #name = "";
  #page = new Bounded();
  #record = new Bounded();

  constructor(lists: ReadonlySet<string>, onPage: (page: Members) => void = () => {}) {
    this.#lists = lists;
    this.#onPage = onPage;
  }

  *push(text: Latin1): Generator<Read<Members>> {
    for (let at = 0; at < text.length; ) {
      if (this.#isInString) {
        at = this.#string(text, at);
        continue;
      }
      OUTSIDE.lastIndex = at;
      const end = OUTSIDE.exec(text)?.index ?? text.length;
      yield* this.#between(text.slice(at, end));
      if (end < text.length) yield* this.#token(text.charAt(end));
      at = end + 1;
    }
  }

  *end(): Generator<Read<Members>> {
    if (this.#depth === 0 && !this.#isInString) return;
    const line = this.#record.isEmpty ? this.#line : this.#record.line;
    yield { line, problem: { message: "is cut off: the file ends within it" } };
  }

  /** Reads on within a string, to its end or to the end of the text. */
  #string(text: Latin1, at: number): number {
    if (this.#isEscaped) {
      this.#isEscaped = false;
      this.#target.add(text.charAt(at), this.#line);
      return at + 1;
    }
    IN_STRING.lastIndex = at;
    const end = IN_STRING.exec(text)?.index ?? text.length;
    const stop = text.charAt(end);
    this.#target.add(text.slice(at, end + 1), this.#line);
    if (this.#isAtName) this.#name = (this.#name + text.slice(at, end)).slice(0, QUOTED_BYTES_MAX);
    if (stop === "\\") this.#isEscaped = true;
    else if (stop === '"') this.#isInString = false;
    else if (stop === "\n") this.#line += 1;
    return end + 1;
  }

  /** Numbers, words, colons and white space. */
  *#between(run: Latin1): Generator<Read<Members>> {
    if (this.#depth > 0) this.#target.add(run, this.#line);
    else if (run.trim() !== "") yield* this.#outside();
  }

  /** Text between values is a problem of its line, once. */
  *#outside(): Generator<Read<Members>> {
    if (!this.#isOutside) yield { line: this.#line, problem: { message: "is not within an object or an array" } };
    this.#isOutside = true;
  }

  *#token(char: string): Generator<Read<Members>> {
    if (char === "\n") {
      this.#target.add(char, this.#line);
      this.#line += 1;
      this.#isOutside = false;
    } else if (this.#depth === 0 && char !== "{" && char !== "[") {
      yield* this.#outside();
    } else if (char === '"') {
      this.#isInString = true;
      this.#target.add(char, this.#line);
      if (this.#isAtName) this.#name = "";
    } else if (char === "{" || char === "[") this.#open(char);
    else if (char !== ",") yield* this.#close(char);
    else if (this.#list > 0 && this.#depth === this.#list) yield* this.#endRecord();
    else this.#target.add(char, this.#line);
  }

  #open(char: string): void {
    this.#target.add(char, this.#line);
    this.#depth += 1;
    const isTop = this.#depth === 1 && char === "[";
    const isListed = this.#depth === 2 && this.#list === 0 && char === "[" && this.#lists.has(this.#name);
    if (isTop || isListed) {
      this.#list = this.#depth;
      this.#isPage = true;
    }
  }

  *#close(char: string): Generator<Read<Members>> {
    if (this.#depth === this.#list) {
      yield* this.#endRecord();
      this.#list = 0;
    }
    this.#target.add(char, this.#line);
    this.#depth -= 1;
    if (this.#depth === 0) yield* this.#endPage();
  }

  *#endRecord(): Generator<Read<Members>> {
    if (!this.#record.isEmpty) yield this.#record.read();
    this.#record = new Bounded();
  }

  *#endPage(): Generator<Read<Members>> {
    // A dump of Kong has all services beside its consumers. A page as long as that has no link to another one.
    const page = this.#isPage && !this.#page.isPageText ? undefined : this.#page.read();
    if (this.#isPage && page?.row !== undefined) this.#onPage(page.row);
    else if (page !== undefined) yield this.#isPage ? { ...page, line: this.#line } : page;
    this.#page = new Bounded();
    this.#isPage = false;
  }

  get #target(): Bounded {
    return this.#list > 0 && this.#depth >= this.#list ? this.#record : this.#page;
  }

  get #isAtName(): boolean {
    return this.#depth === 1 && this.#list === 0;
  }
}

/** The text of one value, from its first visible character. */
class Bounded {
  line = 0;
  #text = "";
  #isTooLong = false;

  get isEmpty(): boolean {
    return this.line === 0;
  }

  /** Whether it has the members of a page: it is an object, all of which was held. */
  get isPageText(): boolean {
    return this.#text.startsWith("{");
  }

  add(run: Latin1, line: number): void {
    const text = this.isEmpty ? run.trimStart() : run;
    if (text === "") return;
    if (this.isEmpty) this.line = line;
    this.#isTooLong ||= this.#text.length + text.length > RECORD_BYTES_MAX;
    this.#text = this.#isTooLong ? "" : this.#text + text;
  }

  read(): Read<Members> {
    return this.#isTooLong ? { line: this.line, problem: TOO_LONG } : jsonRecord(this.line, this.#text);
  }
}
