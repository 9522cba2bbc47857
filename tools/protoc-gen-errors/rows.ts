import type { DescEnum, DescEnumValue } from "@bufbuild/protobuf";
import { DENIALS, type DenialReason } from "../../src/domain/denial.ts";
import { paragraphsOf } from "../protoc-gen-openapi/comments.ts";

/** What the proto's comment says of one reason: `401. Cause.`, an empty line, `Remedy: remedy.` */
const COMMENT = /^(\d{3})\. (.+)\n\nRemedy: (.+)$/s;

/** What is documented of one reason. */
export interface Row {
  readonly reason: DenialReason;
  readonly status: number;
  readonly cause: string;
  readonly remedy: string;
}

/**
 * The denials of the enum, in its order. Throws where the proto and the service's own table
 * differ, so that `npm run generate` cannot write a page that is wrong.
 */
export function rowsOf(reasons: DescEnum): Row[] {
  const rows = reasons.values.filter(({ number }) => number !== 0).map(row);
  for (const reason of Object.keys(DENIALS)) {
    if (!rows.some((known) => known.reason === reason)) throw new Error(`${reasons.name} lacks ${reason}`);
  }
  return rows;
}

function row(value: DescEnumValue): Row {
  const name = value.localName.toLowerCase();
  if (!isReason(name)) throw new Error(`src/domain/denial.ts lacks ${name}`);
  const [, status, cause, remedy] = COMMENT.exec(paragraphsOf(value).join("\n\n")) ?? [];
  if (status === undefined || cause === undefined || remedy === undefined) {
    throw new Error(`the comment of ${value.name} is not "<status>. <cause>", an empty line, "Remedy: <remedy>"`);
  }
  if (Number(status) !== DENIALS[name].status) {
    throw new Error(`${value.name} is ${status} in the proto, but ${DENIALS[name].status} in src/domain/denial.ts`);
  }
  if (verb(remedy) !== verb(DENIALS[name].remedy)) {
    throw new Error(`the remedy of ${value.name} begins with another verb in the proto than in src/domain/denial.ts`);
  }
  return { reason: name, status: Number(status), cause, remedy };
}

function isReason(name: string): name is DenialReason {
  return Object.hasOwn(DENIALS, name);
}

function verb(remedy: string): string | undefined {
  return /^[a-z]+/.exec(remedy)?.[0];
}
