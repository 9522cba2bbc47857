import { TokenService } from "../../../gen/latchkey/v1/token_service_pb.ts";
import type { Part } from "../part.ts";
import { mounted } from "../rpcs.ts";

export function openAccessTokens(): Part {
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
  };
}
