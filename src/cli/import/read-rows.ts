import { recordsOf } from "./file/records.ts";
import type { Findings } from "./findings.ts";
import type { ImportRow } from "./import-row.ts";
import { type ImportedSecret, type PlainKeys, secretMembers } from "./imported-secret.ts";
import type { Members } from "./members.ts";
import { type ReadRow, RowProblem } from "./read-result.ts";
import { mappedScopes, mappedTenant, type ScopeMap } from "./scope-map.ts";
import type { Source, SourceKey } from "./source.ts";

/** The service shows as much of a key. */
const DISPLAY_CHARS = 12;

export interface ReadOptions {
  readonly source: Source;
  /** Format of the rows that name none. */
  readonly keyFormat?: string | undefined;
  readonly map: ScopeMap;
  readonly plainKeys: PlainKeys;
  /** The tenant of the rows that name none. */
  readonly tenant?: string | undefined;
  readonly exportedAt: Date;
}

/**
 * The rows of a file for `import`, in its order. A record that cannot be read is a problem with its line, and the next one is read.
 * Nothing but one record is held, so a file of a million keys needs no more memory than one of ten.
 */
export async function* readRows(
  chunks: AsyncIterable<Uint8Array>,
  options: ReadOptions,
  findings: Findings,
): AsyncGenerator<ReadRow> {
  const { source } = options;
  const onPage = (page: Members) => {
    findings.isPartial = isPartial(source, page);
  };
  for await (const records of recordsOf(chunks, { ...source, onPage }))
    for (const { line, row: record, problem } of records) {
      if (problem !== undefined) yield { line, problem };
      else yield* readRecord(line, record, options, findings);
    }
}

/** A page that says it in a way of its own may have a successor. */
function isPartial(source: Source, page: Members): boolean {
  try {
    return source.isPartial?.(page) === true;
  } catch (err) {
    problemOf(err);
    return true;
  }
}

/** The keys of one record. */
export function* readRecord(
  line: number,
  record: Members,
  options: ReadOptions,
  findings: Findings,
): Generator<ReadRow> {
  try {
    for (const key of options.source.keysOf?.(record) ?? [record]) yield rowOf(line, key, options, findings);
  } catch (err) {
    yield { line, problem: problemOf(err) };
  }
}

function rowOf(line: number, members: Members, options: ReadOptions, findings: Findings): ReadRow {
  const { source, map, plainKeys, exportedAt, tenant } = options;
  try {
    const lost: string[] = [];
    const context = { exportedAt, lose: (member: string) => void lost.push(member) };
    const { secret, scopes, team, ...rest } = source.read(members, context);
    record(secret, rest.key_prefix, findings);
    const ofTeam = rest.tenant_id ?? (team && mappedTenant(...team, map));
    if (team !== undefined && ofTeam === undefined) lost.push(team[0]);
    const tenantId = ofTeam ?? tenant;
    const keyFormat = rest.key_format ?? options.keyFormat;
    const row: ImportRow = {
      ...given({ ...rest, key_prefix: rest.key_prefix?.slice(0, DISPLAY_CHARS) }),
      ...secretMembers(secret, plainKeys, keyFormat, source.hasOwnKeys !== true),
      ...(tenantId !== undefined && { tenant_id: tenantId }),
      permissions: mappedScopes(...scopes, map),
    };
    const unread = members.unread().filter((member) => !source.bookkeeping.includes(member));
    for (const member of new Set([...lost, ...unread])) findings.lose(member);
    return { line, row };
  } catch (err) {
    return { line, problem: problemOf(err) };
  }
}

function record(secret: ImportedSecret, beginning: string | undefined, { forms }: Findings): void {
  if (secret.kind === "key") forms.addKey(secret.key);
  else forms.addDigest(beginning, secret.algorithm);
}

/** Without the members that the record lacks. */
function given(members: Omit<SourceKey, "secret" | "scopes" | "team">): ImportRow {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

/** Throws what is not a problem of the record. */
function problemOf(err: unknown): { member: string; message: string } {
  if (err instanceof RowProblem) return { member: err.member, message: err.message };
  throw err;
}
