import type { PGlite } from "@electric-sql/pglite";
import type { BackendMessage, DatabaseError } from "pg-protocol/dist/messages.js";
import { Parser } from "pg-protocol/dist/parser.js";
import { BaselineParserPGlite } from "./baseline-parser.ts";

type ExecProtocolStream = PGlite["execProtocolStream"];

/**
 * PGlite that returns texts as they were stored. Its own parser removes a U+FEFF at the start of any text as a byte
 * order mark: the tenant `\ufeffacme` would come back as `acme`, which is another tenant. So node-postgres' parser
 * parses the responses; PGlite's messages have the same format.
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
