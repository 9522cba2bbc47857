import { TokenService } from "../../../gen/latchkey/v1/token_service_pb.ts";
import type { Part, PartContext } from "../part.ts";
import { mounted } from "../rpcs.ts";

/** Tokens that stand for keys. */
export function openAccessTokens({ storage }: PartContext): Part {
  const todo = () => {
    throw new Error("not built yet");
  };
  return {
    services: [
      mounted(TokenService, {
        deriveToken: todo,
        listTokens: todo,
        revokeToken: todo,
      }),
    ],
    removals: [() => storage.accessTokens.removeOldTokens()],
  };
}
