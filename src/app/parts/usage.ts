import { UsageService } from "../../../gen/latchkey/v1/usage_service_pb.ts";
import { removeOldUsage } from "../../domain/usage/retention.ts";
import { createUsageService } from "../../services/usage-service.ts";
import type { Part, PartContext } from "../part.ts";
import { mounted } from "../rpcs.ts";

/** How often keys were used. */
export function openUsage({ config, storage }: PartContext): Part {
  const { history, keyClock } = storage;
  return {
    services: [mounted(UsageService, createUsageService({ history, keyClock }))],
    removals: [(now) => removeOldUsage(history, config.usageDays, now)],
  };
}
