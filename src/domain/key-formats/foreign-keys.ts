import type { SecretHash } from "../credentials/key.ts";
import { secretForm } from "../credentials/secret.ts";
import { looksLikeJwt } from "../tokens/jwt-form.ts";
import { type Awaitable, after } from "../vocabulary/awaitable.ts";
import { Denial } from "../vocabulary/denial.ts";
import { type CompiledFormat, type CompiledFormats, compileFormats, hashForeign } from "./compiled.ts";
import type { ReadKeyFormats } from "./format-store.ts";
import type { KeyFormatList } from "./key-format.ts";
import type { Peppers } from "./peppers.ts";

/** Keys that other systems have issued, as callers present them. */
export interface ForeignKeys {
  /**
   * The hash by which the key is stored. Undefined: the text fits no format, which is known without any look-up while the formats
   * are cached. `text`: not a key of this service.
   */
  hashOf(text: string): Awaitable<SecretHash | undefined>;
  /** The same for a text that was sent as `Authorization: Bearer`: whatever it is. Throws `Denial` if its format may not be. */
  hashOfBearer(text: string): Awaitable<SecretHash | undefined>;
  /** The formats as they are now. */
  compiled(): Awaitable<CompiledFormats>;
}

export interface ForeignKeysContext {
  readonly readFormats: ReadKeyFormats;
  /** Another map as soon as one of them has changed. */
  readonly peppers: () => Peppers;
  /** Default: in this process. */
  readonly hash?: (format: CompiledFormat, text: string) => Awaitable<SecretHash | undefined>;
}

const KEY_AS_TOKEN = "Authorization holds an API key; send it in X-API-Key.";
/** What a format can describe. */
const POSSIBLE = /^[\x21-\x2b\x2d-\x7e]{16,512}$/;

export function createForeignKeys(ctx: ForeignKeysContext): ForeignKeys {
  const { readFormats, peppers, hash = hashHere } = ctx;
  let list: KeyFormatList | undefined;
  let secrets: Peppers | undefined;
  let formats: CompiledFormats | undefined;

  /** Compiled once for each record of the cache, which many requests share. */
  function compile(latest: KeyFormatList): CompiledFormats {
    const now = peppers();
    if (formats !== undefined && latest === list && now === secrets) return formats;
    const compiled = compileFormats(latest, now);
    [list, secrets, formats] = [latest, now, compiled];
    return compiled;
  }

  function hashIn(latest: KeyFormatList, text: string): Awaitable<SecretHash | undefined> {
    const found = compile(latest).find(text);
    return found && hash(found, text);
  }

  function hashBearerIn(latest: KeyFormatList, text: string): Awaitable<SecretHash | undefined> {
    const found = compile(latest).find(text);
    if (found === undefined || found.format.isBearer) return found && hash(found, text);
    // Without a prefix it can as well be the operator's token, mistyped.
    if (found.format.prefix === "") return undefined;
    throw new Denial("jwt_malformed", { message: KEY_AS_TOKEN });
  }

  return {
    hashOf: (text) => (POSSIBLE.test(text) ? after(readFormats(), hashIn, text) : undefined),
    hashOfBearer(text) {
      if (!POSSIBLE.test(text) || looksLikeJwt(text) || secretForm(text) === "well_formed") return undefined;
      return after(readFormats(), hashBearerIn, text);
    },
    compiled: () => after(readFormats(), compile),
  };
}

/** Never "no such key": the caller's key may be good. */
function hashHere(format: CompiledFormat, text: string): SecretHash {
  if (format.problem !== undefined) throw new Denial("verifier_error", { cause: new Error(format.problem) });
  return hashForeign(format, text);
}
