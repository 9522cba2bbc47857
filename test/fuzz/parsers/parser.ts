import { Code, ConnectError } from "@connectrpc/connect";
import { Denial } from "../../../src/domain/vocabulary/denial.ts";
import { RequestFault } from "../../../src/domain/vocabulary/request-fault.ts";
import { InvalidKeySet } from "../../../src/store/jwks/key-set.ts";

/** A parser of bytes from strangers, and what holds for whatever it is given. */
export interface Parser {
  /** Inputs to begin with, valid ones and nearly valid ones. A character is a byte. */
  readonly seeds: readonly string[];
  /** Words of its format, which no change of a byte would find. */
  readonly words: readonly string[];
  /** Throws a documented error, or what is a finding. */
  parse(bytes: Buffer): unknown;
}

const PUBLIC = /^[\x20-\x7e]{1,600}$/;

/** Throws what is no documented error, and one whose message is not for the public. */
export async function outcomeOf(parser: Parser, bytes: Buffer): Promise<void> {
  try {
    await parser.parse(bytes);
  } catch (err) {
    if (!isDocumented(err)) throw err;
    const message = err instanceof ConnectError ? err.rawMessage : err.message;
    holds(PUBLIC.test(message), `a message is one line of printable ASCII, not ${JSON.stringify(message)}`);
  }
}

function isDocumented(err: unknown): err is Error {
  if (err instanceof ConnectError) return err.code !== Code.Internal && err.code !== Code.Unknown;
  return err instanceof RequestFault || err instanceof InvalidKeySet || err instanceof Denial;
}

/** What must hold for each input. */
export function holds(isSo: boolean, what: string): void {
  if (!isSo) throw new Error(`does not hold: ${what}`);
}
