import type { DescEnum, DescEnumValue } from "@bufbuild/protobuf";
import { DENIALS } from "../../src/domain/vocabulary/denial.ts";
import { ERROR_REASONS } from "../../src/domain/vocabulary/error-reason.ts";
import { paragraphsOf } from "../protoc-gen-openapi/comments.ts";

/** What the proto's comment says of one reason: `401. Cause.`, an empty line, `Remedy: remedy.` */
const COMMENT = /^(\d{3})\. (.+)\n\nRemedy: (.+)$/s;

/** What is documented of one reason. */
export interface Row {
  readonly reason: string;
  readonly status: number;
  readonly code: string;
  readonly cause: string;
  readonly remedy: string;
}

/** A table of the service: what it answers for each reason, by its name. */
interface Table {
  readonly file: string;
  readonly reasons: Readonly<
    Record<string, { readonly code: string; readonly status: number; readonly remedy?: string }>
  >;
}

/** The table of each enum of reasons. */
export const TABLES = {
  DenialReason: { file: "src/domain/vocabulary/denial.ts", reasons: DENIALS },
  ErrorReason: { file: "src/domain/vocabulary/error-reason.ts", reasons: ERROR_REASONS },
} as const satisfies Record<string, Table>;

/**
 * The reasons of the enum, in its order. Throws where the proto and the service's own table
 * differ, so that `npm run generate` cannot write a page that is wrong.
 */
export function rowsOf(reasons: DescEnum, table: Table): Row[] {
  const rows = reasons.values.filter(({ number }) => number !== 0).map((value) => row(value, table));
  for (const reason of Object.keys(table.reasons)) {
    if (!rows.some((known) => known.reason === reason)) throw new Error(`${reasons.name} lacks ${reason}`);
  }
  return rows;
}

function row(value: DescEnumValue, { file, reasons }: Table): Row {
  const name = value.localName.toLowerCase();
  const known = Object.hasOwn(reasons, name) ? reasons[name] : undefined;
  if (known === undefined) throw new Error(`${file} lacks ${name}`);
  const [, status, cause, remedy] = COMMENT.exec(paragraphsOf(value).join("\n\n")) ?? [];
  if (status === undefined || cause === undefined || remedy === undefined) {
    throw new Error(`the comment of ${value.name} is not "<status>. <cause>", an empty line, "Remedy: <remedy>"`);
  }
  if (Number(status) !== known.status) {
    throw new Error(`${value.name} is ${status} in the proto, but ${known.status} in ${file}`);
  }
  if (known.remedy !== undefined && verb(remedy) !== verb(known.remedy)) {
    throw new Error(`the remedy of ${value.name} begins with another verb in the proto than in ${file}`);
  }
  return { reason: name, status: known.status, code: known.code, cause, remedy };
}

function verb(remedy: string): string | undefined {
  return /^[a-z]+/.exec(remedy)?.[0];
}
