import { FederationService } from "../../../gen/latchkey/v1/federation_service_pb.ts";
import { createThrottle } from "../../domain/leaks/throttle.ts";
import { createFederationService } from "../../services/federation-service.ts";
import { createUsedOnce } from "../../store/sql/access-tokens/used-once.ts";
import { createRuleStore } from "../../store/sql/federation/rule-store.ts";
import type { Part, PartContext } from "../part.ts";
import { mounted } from "../rpcs.ts";
import { keyManagement } from "./key-management.ts";

/** Exchanges in a minute and process: those of one CI system come from few addresses. */
const EXCHANGES = { perAddress: 1_000, total: 10_000 };

/** Tokens for workloads, by the tokens of their own platforms. */
export function openFederation(ctx: PartContext): Part {
  const { options, clock, storage, access } = ctx;
  const { database, records, accessTokens, tokenIssuer: issuer } = storage;
  const shared = {
    ...keyManagement(ctx),
    rules: createRuleStore(database, records.invalidation, options.clock),
    admission: access.admission,
    dashboard: access.dashboard?.expectation ?? null,
    tokenIssuer: issuer?.issuer,
  };
  const services = [mounted(FederationService, createFederationService(shared))];
  if (issuer === undefined) return { services };
  const exchange = { ...shared, accessTokens, issuer, tokenIssuer: issuer.issuer, usedOnce: createUsedOnce(database) };
  const { checkProof } = access;
  return {
    services,
    endpoints: { oauthToken: { ...exchange, checkProof, throttle: createThrottle(clock, EXCHANGES) } },
  };
}
