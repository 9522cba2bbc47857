import { AuthService } from "../../../gen/latchkey/v1/auth_service_pb.ts";
import { createCheckCaller } from "../../interceptors/index.ts";
import { createAuthService } from "../../services/auth-service.ts";
import type { Part, PartContext } from "../part.ts";
import { mounted } from "../rpcs.ts";

/** Verifies callers for other services: by an RPC, and for proxies that send only headers. */
export function openVerification({ storage, access, config: { resource } }: PartContext): Part {
  const { admission, authority, gate, tokens, translate, isUsableOidc } = access;
  const service = createAuthService({
    authority,
    explanations: { keys: storage.keys, admission, tokens, authority, isUsableOidc },
  });
  return {
    services: [mounted(AuthService, service)],
    endpoints: {
      checkCaller: createCheckCaller(gate, authority, translate, resource),
      resource: resource ?? undefined,
    },
  };
}
