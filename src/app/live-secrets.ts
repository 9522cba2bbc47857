import type { Secrets } from "../config/secrets.ts";
import { createSecretMatch, type MatchSecret } from "../domain/access/secrets.ts";

/** The secrets of this process as they are now: read at each use, since SIGHUP changes them. */
export interface LiveSecrets {
  readonly now: Secrets;
  readonly matchOperatorToken: MatchSecret;
  readonly matchHookSecret: MatchSecret;
  readonly matchEdgeToken: MatchSecret;
  /** From now on, these are used. */
  use(secrets: Secrets): void;
}

export function createLiveSecrets(initial: Secrets): LiveSecrets {
  let now = initial;
  let operator = createSecretMatch(initial.operatorTokens);
  let hook = createSecretMatch(initial.identityHookSecrets);
  let edge = createSecretMatch(initial.edgeTokens);
  return {
    get now() {
      return now;
    },
    matchOperatorToken: (text) => operator(text),
    matchHookSecret: (text) => hook(text),
    matchEdgeToken: (text) => edge(text),
    use(secrets) {
      now = secrets;
      operator = createSecretMatch(secrets.operatorTokens);
      hook = createSecretMatch(secrets.identityHookSecrets);
      edge = createSecretMatch(secrets.edgeTokens);
    },
  };
}
