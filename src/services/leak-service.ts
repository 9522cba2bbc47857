import type { LeakReport as LeakReportMessage, LeakService } from "../../gen/latchkey/v1/leak_service_pb.ts";
import { leakUrlProblem } from "../domain/leaks/leak-url.ts";
import { keysReported, type LeakReport, type ReportLeaksContext, reportLeaks } from "../domain/leaks/report.ts";
import { type Throttle, throttleCall } from "../domain/leaks/throttle.ts";
import { invalid } from "../domain/vocabulary/request-fault.ts";
import { callOf, type UnaryImpl } from "../interceptors/call.ts";
import { actOf } from "./callers.ts";

export interface LeakServiceContext extends ReportLeaksContext {
  /** Of reported texts that can be keys. */
  readonly throttleReports: Throttle;
}

export function createLeakService(ctx: LeakServiceContext): UnaryImpl<typeof LeakService> {
  return {
    async reportLeakedKeys(req, context) {
      const reports = req.reports.map(fromReport);
      const reported = await keysReported(ctx, reports);
      throttleCall(ctx.throttleReports, callOf(context.values), reported.size);
      await reportLeaks(ctx, reported, actOf(context));
      return {};
    },
  };
}

function fromReport({ key, url, source }: LeakReportMessage, index: number): LeakReport {
  const problem = url === "" ? undefined : leakUrlProblem(url);
  if (problem !== undefined) throw invalid(`reports[${index}].url`, problem);
  return { secret: key, url: url || null, source: source || null };
}
