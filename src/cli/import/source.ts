import type { Layout } from "./file/records.ts";
import type { ImportRow } from "./import-row.ts";
import type { ImportedSecret } from "./imported-secret.ts";
import type { Members } from "./members.ts";

/** A system whose export is read. */
export interface Source extends Omit<Layout, "onPage"> {
  /** Members that an import replaces or that only describe the source's own row, so that nothing is lost without them. */
  readonly bookkeeping: readonly string[];
  /** The keys of one record. Absent: the record is one. */
  readonly keysOf?: (record: Members) => Iterable<Members>;
  /** Reads one key. Members that it leaves unread are reported as not imported. Throws `RowProblem`. */
  readonly read: (key: Members, context: SourceContext) => SourceKey;
  /** Whether a digest without a key format is of a key of this service. Else it would be stored, and its key never be found. */
  readonly hasOwnKeys?: boolean;
  /** Whether the export ends before its last page. */
  readonly isPartial?: (page: Members) => boolean;
}

export interface SourceContext {
  /** When the file was exported, for times that it has relative to that. */
  readonly exportedAt: Date;
  /** Reports a member that was read and cannot be imported as it is. */
  readonly lose: (member: string) => void;
}

/** One key in our terms, with the source's own scopes and teams. */
export interface SourceKey extends Found<Omit<ImportRow, "hash" | "key" | "permissions">> {
  readonly secret: ImportedSecret;
  /** The own scopes, and the member that has them. */
  readonly scopes: readonly [member: string, scopes: readonly string[]];
  /** The member that has the team, and its id. */
  readonly team?: readonly [member: string, team: string] | undefined;
}

/** Members that a record may lack. */
type Found<T> = { readonly [Name in keyof T]?: T[Name] | undefined };
