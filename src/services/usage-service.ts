import type { UsageService } from "../../gen/latchkey/v1/usage_service_pb.ts";
import { usagePeriod } from "../domain/usage/period.ts";
import { getTenantUsage, type UsageContext } from "../domain/usage/read.ts";
import { topKeys } from "../domain/usage/top-keys.ts";
import { refusePageToken } from "../domain/vocabulary/page.ts";
import type { UnaryImpl } from "../interceptors/call.ts";
import { tenantOf } from "./callers.ts";
import { fromPeriod, toCounters, toUsageStep } from "./usage-converter.ts";

export function createUsageService(ctx: UsageContext): UnaryImpl<typeof UsageService> {
  return {
    async getUsage(req, context) {
      const { usage, series } = await getTenantUsage(ctx, tenantOf(context), fromPeriod(req));
      return { result: toCounters(usage), series: series.map(toUsageStep) };
    },

    async listTopKeys({ from, to, perPage, pageToken, reason }, context) {
      refusePageToken({ pageToken });
      const period = usagePeriod(fromPeriod({ from, to }), ctx.keyClock());
      const keys = await topKeys(ctx.history, tenantOf(context), period, perPage, reason);
      return { keys: keys.map(({ keyId, name, usage }) => ({ keyId, name, ...toCounters(usage) })) };
    },
  };
}
