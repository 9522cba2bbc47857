import { RequestService } from "../../../gen/latchkey/v1/request_service_pb.ts";
import { removeOldRequests } from "../../domain/requests/retention.ts";
import { policiesByName } from "../../interceptors/index.ts";
import { createRequestService } from "../../services/request-service.ts";
import type { Part, PartContext } from "../part.ts";
import { mounted } from "../rpcs.ts";

/** Recent requests, and why they were denied. */
export function openRequests({ config, storage, access }: PartContext): Part {
  const { requests } = storage;
  const { policies, requestRecorder } = access;
  const ctx = { requests, requestRecorder, policies: policiesByName(policies) };
  return {
    services: [mounted(RequestService, createRequestService(ctx))],
    removals: [(now) => removeOldRequests(requests, config.requestLogDays, now)],
  };
}
