import { BODIES } from "./bodies.ts";
import { CREDENTIALS } from "./credentials.ts";
import { DOCUMENTS } from "./documents.ts";
import { DOORS } from "./doors.ts";
import { HEADS } from "./heads.ts";
import { KEY_EXPORTS } from "./key-exports.ts";
import type { Parser } from "./parser.ts";
import { TOKENS } from "./tokens.ts";

/** Every parser of bytes from strangers, by the name of its corpus. */
export const PARSERS: Readonly<Record<string, Parser>> = {
  ...HEADS,
  ...CREDENTIALS,
  ...TOKENS,
  ...BODIES,
  ...DOORS,
  ...DOCUMENTS,
  ...KEY_EXPORTS,
};
