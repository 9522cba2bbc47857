import type { Members } from "../members.ts";
import type { Read } from "../read-result.ts";
import { RECORD_BYTES_MAX } from "./bounds.ts";
import type { Container } from "./container.ts";
import { CsvRecords } from "./csv.ts";
import { JsonDocument } from "./json-document.ts";
import { NdjsonRecords } from "./ndjson.ts";
import { isUtf16, type Latin1, latin1Of, withoutMark } from "./utf8.ts";

export type FileKind = "csv" | "ndjson" | "json";

/** How the records of a file are found. */
export interface Layout {
  /** Absent: by the first lines. Tools export tables as each of them. */
  readonly kind?: FileKind;
  /** Of CSV: one of them is in the header, or the file is something else. */
  readonly columns?: readonly string[];
  /** Names of the arrays in which pages of an API have their records. */
  readonly lists?: ReadonlySet<string>;
  readonly onPage?: (page: Members) => void;
}

/** A visible character, the end of its line, and another visible character. */
const SECOND_LINE = [/\S/, /\n/, /\S/];

/** The records of a file, those of each piece together, which are to be read before the next ones: nothing else is held. */
export async function* recordsOf(
  chunks: AsyncIterable<Uint8Array>,
  layout: Layout,
): AsyncGenerator<Iterable<Read<Members>>> {
  const texts = latin1Of(chunks);
  try {
    const head = withoutMark(await headOf(texts));
    if (isUtf16(head)) return yield [{ line: 1, problem: { message: "is UTF-16; save the file as UTF-8" } }];
    const container = containerOf(layout.kind ?? kindOf(head), layout);
    yield container.push(head);
    for await (const text of texts) yield container.push(text);
    yield container.end();
  } finally {
    // Closes the file where the caller stops early.
    await texts.return(undefined);
  }
}

function containerOf(kind: FileKind, { columns = [], lists = new Set(), onPage }: Layout): Container {
  if (kind === "csv") return new CsvRecords(columns);
  return kind === "ndjson" ? new NdjsonRecords() : new JsonDocument(lists, onPage);
}

/** The first pieces, up to the beginning of the second line that is not blank. */
async function headOf(texts: AsyncGenerator<Latin1>): Promise<Latin1> {
  const parts: Latin1[] = [];
  let bytes = 0;
  let found = 0;
  while (found < SECOND_LINE.length && bytes < RECORD_BYTES_MAX) {
    const next = await texts.next();
    if (next.done === true) break;
    parts.push(next.value);
    bytes += next.value.length;
    found = foundIn(next.value, found);
  }
  return parts.join("");
}

/** How many of the steps to the second line are found with a further piece. */
function foundIn(text: Latin1, before: number): number {
  let found = before;
  let rest = text;
  for (const step of SECOND_LINE.slice(before)) {
    const at = rest.search(step);
    if (at === -1) break;
    rest = rest.slice(at + 1);
    found += 1;
  }
  return found;
}

/** An object on each line; an array, or an object over several lines; else CSV. */
function kindOf(head: Latin1): FileKind {
  const { first, second } = linesOf(head);
  if (first.startsWith("[")) return "json";
  if (!first.startsWith("{")) return "csv";
  const isWithinValue = first.endsWith("[") || first.endsWith(",");
  return second.startsWith("{") && !isWithinValue ? "ndjson" : "json";
}

/** The first two lines that are not blank, without the space around them; the second to the end of the text. */
function linesOf(head: Latin1): { readonly first: Latin1; readonly second: Latin1 } {
  const text = head.trimStart();
  const end = text.indexOf("\n");
  return end === -1
    ? { first: text, second: "" }
    : { first: text.slice(0, end).trimEnd(), second: text.slice(end).trimStart() };
}
