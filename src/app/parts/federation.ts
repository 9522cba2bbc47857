import { FederationService } from "../../../gen/latchkey/v1/federation_service_pb.ts";
import type { Part } from "../part.ts";
import { mounted } from "../rpcs.ts";

export function openFederation(): Part {
  const todo = () => {
    throw new Error("not built yet");
  };
  return {
    services: [
      mounted(FederationService, {
        createFederationRule: todo,
        listFederationRules: todo,
        getFederationRule: todo,
        updateFederationRule: todo,
        deleteFederationRule: todo,
        checkFederationAssertion: todo,
      }),
    ],
  };
}
