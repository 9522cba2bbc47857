import { OperatorService } from "../../../gen/latchkey/v1/operator_service_pb.ts";
import { policiesByName } from "../../interceptors/index.ts";
import { createOperatorService } from "../../services/operator-service.ts";
import { createErasureStore } from "../../store/sql/erasures/erasure-store.ts";
import { startErasures } from "../erasures.ts";
import type { Part, PartContext } from "../part.ts";
import { mounted } from "../rpcs.ts";
import { keyManagement } from "./key-management.ts";

/** What the operator of the platform may do: find keys, suspend tenants, erase data. */
export function openOperator(ctx: PartContext): Part {
  const { config, options, life, secrets, storage, access } = ctx;
  const { database, records, tenants, audit, formats, logFailure } = storage;
  const erasures = startErasures({
    erasures: createErasureStore(database, records.invalidation, options.clock),
    logFailure,
    waitMs: options.erasureWaitMs,
  });
  life.onStop(erasures.close);
  const service = createOperatorService({
    ...keyManagement(ctx),
    ...{ tenants, formats, peppers: () => secrets.now.keyPeppers },
    ...erasures,
    operatorTenant: config.access.operatorTenant,
    audit,
    refusals: access.refusals,
    requests: storage.requests,
    requestRecorder: access.requestRecorder,
    policies: policiesByName(access.policies),
  });
  return { services: [mounted(OperatorService, service)] };
}
