import type { DescEnum } from "@bufbuild/protobuf";
import { rowsOf, TABLES } from "./rows.ts";
import { markdownSections } from "./sections.ts";

/** The two lines between which sections stand that are made from a proto. */
export interface Marks {
  readonly begin: string;
  readonly end: string;
}

export const DENIAL_MARKS: Marks = {
  begin:
    "<!-- The denials are made from proto/latchkey/v1/denial.proto: edit them there, then run npm run generate. -->",
  end: "<!-- End of the denials. -->",
};

const ERROR_MARKS: Marks = {
  begin:
    "<!-- The errors are made from proto/latchkey/v1/error_reason.proto: edit them there, then run npm run generate. -->",
  end: "<!-- End of the errors. -->",
};

/** The page with the sections between the two marks renewed; all else is written by hand and stays. */
export function withSections(page: string, marks: Marks, sections: string): string {
  const begin = page.indexOf(marks.begin);
  const end = page.indexOf(marks.end);
  if (begin < 0 || end < begin) throw new Error(`the page lacks the lines\n${marks.begin}\n${marks.end}`);
  return `${page.slice(0, begin + marks.begin.length)}\n\n${sections}\n\n${page.slice(end)}`;
}

/** The page with the sections of all reasons renewed. */
export function pageOf(page: string, enums: readonly DescEnum[]): string {
  const sections = (name: keyof typeof TABLES, member: string): string => {
    const reasons = enums.find((found) => found.name === name);
    if (reasons === undefined) throw new Error(`the protos have no enum ${name}`);
    return markdownSections(member, rowsOf(reasons, TABLES[name]));
  };
  const renewed = withSections(page, DENIAL_MARKS, sections("DenialReason", "denial_reason"));
  return withSections(renewed, ERROR_MARKS, sections("ErrorReason", "reason"));
}
