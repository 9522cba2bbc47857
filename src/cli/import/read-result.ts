import type { ImportRow } from "./import-row.ts";

/** A problem with a record of the file. It quotes scopes and names of members, and no other value, which may be a key. */
export interface Problem {
  /** The member or column. Absent: it is the record as a whole. */
  readonly member?: string;
  /** What follows the member's name, or `the record`. */
  readonly message: string;
}

/** One record of the file, by the line in which it begins, from 1. */
export type Read<T> = { readonly line: number } & (
  | { readonly row: T; readonly problem?: undefined }
  | { readonly problem: Problem; readonly row?: undefined }
);

export type ReadRow = Read<ImportRow>;

/** Ends the reading of one record. The next one is read. */
export class RowProblem extends Error implements Problem {
  override readonly name = "RowProblem";
  readonly member: string;

  constructor(member: string, message: string) {
    super(message);
    this.member = member;
  }
}
