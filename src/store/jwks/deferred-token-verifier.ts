import type { JwksTokenVerifier, TokenVerifierContext } from "./token-verifier.ts";

export interface DeferredTokenVerifier extends JwksTokenVerifier {
  /** Loads it before it is needed. */
  load(): Promise<void>;
}

/**
 * The verifier of users' tokens, loaded with the first one: it and its libraries are a tenth of all modules, and a start
 * need not wait for them.
 */
export function createDeferredTokenVerifier(ctx: TokenVerifierContext): DeferredTokenVerifier {
  let loading: Promise<JwksTokenVerifier> | undefined;
  /** What was loading, so that no later call waits for it. */
  let loaded: JwksTokenVerifier | undefined;

  async function loadOnce(): Promise<JwksTokenVerifier> {
    const { createTokenVerifier } = await import("./token-verifier.ts");
    loaded = createTokenVerifier(ctx);
    return loaded;
  }

  function load(): Promise<JwksTokenVerifier> {
    loading ??= loadOnce();
    return loading;
  }

  return {
    verify: (token, expected) =>
      loaded?.verify(token, expected) ?? load().then((verifier) => verifier.verify(token, expected)),
    // What is not loaded has fetched nothing.
    hasKeys: (source) => loaded?.hasKeys(source) ?? false,
    keySetTrouble: (source) => loaded?.keySetTrouble(source),
    load: async () => void (await load()),
    close: async () => (await loading)?.close(),
  };
}
