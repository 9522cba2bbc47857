import type { TokenVerifier } from "../../domain/ports.ts";
import type { TokenVerifierContext } from "./token-verifier.ts";

export interface DeferredTokenVerifier extends TokenVerifier {
  /** Loads it before it is needed. */
  load(): Promise<void>;
  close(): Promise<void>;
}

/**
 * The verifier of users' tokens, loaded with the first one: it and its libraries are a tenth of all modules, and a start
 * need not wait for them.
 */
export function createDeferredTokenVerifier(ctx: TokenVerifierContext): DeferredTokenVerifier {
  let loading: Promise<TokenVerifier & { close(): Promise<void> }> | undefined;
  let loaded: TokenVerifier | undefined;

  function load(): Promise<TokenVerifier & { close(): Promise<void> }> {
    loading ??= import("./token-verifier.ts").then(({ createTokenVerifier }) => {
      const verifier = createTokenVerifier(ctx);
      loaded = verifier;
      return verifier;
    });
    return loading;
  }

  return {
    verify: (token, expected) =>
      loaded?.verify(token, expected) ?? load().then((verifier) => verifier.verify(token, expected)),
    // What is not loaded has fetched nothing.
    keySetTrouble: (source) => loaded?.keySetTrouble(source),
    load: async () => void (await load()),
    close: async () => (await loading)?.close(),
  };
}
