import { connectNodeAdapter } from "@connectrpc/connect-node";
import { AuthService } from "../../gen/latchkey/v1/auth_service_pb.ts";
import { Caller } from "../../gen/latchkey/v1/policy_pb.ts";
import { serve } from "./serve.ts";

/** What the same RPC costs on Connect's own adapter for Node, without any check. */

serve(
  connectNodeAdapter({
    routes(router) {
      router.service(AuthService, {
        verify: () => ({ caller: Caller.SECRET_KEY, tenantId: "ten_bench", keyId: "key_bench", permissions: [] }),
      });
    },
  }),
);
