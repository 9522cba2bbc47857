import type { PGlite } from "@electric-sql/pglite";
import type { BackendMessage, DatabaseError } from "pg-protocol/dist/messages.js";
import { Parser } from "pg-protocol/dist/parser.js";
import { BaselineParserPGlite } from "./baseline-parser.ts";

type ExecProtocolStream = PGlite["execProtocolStream"];

/**
 * PGlite, with texts as they were stored. Its own reader takes a U+FEFF at the start of any text for a byte order mark and
 * leaves it out: the tenant `\ufeffacme` would come back as `acme`, another one. So what the database answers is read by
 * node-postgres' reader, of whose messages PGlite's are a copy.
 */
export class WholeTextPGlite extends BaselineParserPGlite {
  override async execProtocolStream(
    ...[message, options = {}]: Parameters<ExecProtocolStream>
  ): ReturnType<ExecProtocolStream> {
    const { throwOnError = true, ...rest } = options;
    const messages = readMessages(await this.execProtocolRaw(message, rest));
    const failure = messages.find(({ name }) => name === "error");
    if (throwOnError && failure !== undefined) throw failure as DatabaseError;
    return messages as Awaited<ReturnType<ExecProtocolStream>>;
  }
}

function readMessages(bytes: Uint8Array): BackendMessage[] {
  const messages: BackendMessage[] = [];
  new Parser().parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), (one) => messages.push(one));
  return messages;
}
