import type { Members } from "../members.ts";
import type { Read } from "../read-result.ts";
import type { Latin1 } from "./utf8.ts";

/** Finds the records of a file, which it is given in pieces of any size. It holds one record, of bounded size. */
export interface Container {
  /** The records that end in this piece. */
  push(text: Latin1): Iterable<Read<Members>>;
  /** The last record, and a problem if the file was cut off. */
  end(): Iterable<Read<Members>>;
}
