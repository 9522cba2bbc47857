import { setFlagsFromString } from "node:v8";
import { PGlite, protocol } from "@electric-sql/pglite";

/** A statement without a word: it is parsed, and nothing is done. */
const EMPTY_STATEMENT = protocol.serialize.query(";");

/**
 * PGlite whose parser V8 never optimizes. The parser of PostgreSQL is one function of 100 KB, for which V8's optimizing
 * compiler for WebAssembly takes 600 MB, within seconds of every start. What it saves cannot be measured. All other functions
 * together take 40 MB (ADR 20).
 *
 * V8's baseline compiler compiles a function at its first call, with or without the counter that has it optimized later. So
 * the first call of the parser is made while a flag leaves the counters out: one synchronous call, before any statement.
 */
export class BaselineParserPGlite extends PGlite {
  override async _initArrayTypes(options?: { force?: boolean }): Promise<void> {
    // A filter is a function's number: no function that PGlite defines has that of its first import.
    setFlagsFromString("--wasm-tier-up-filter=0");
    try {
      this.execProtocolRawSync(EMPTY_STATEMENT);
    } finally {
      setFlagsFromString("--wasm-tier-up-filter=-1");
    }
    return super._initArrayTypes(options);
  }
}
