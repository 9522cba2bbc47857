import { setTimeout as sleep } from "node:timers/promises";
import type { DescService } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { type Health, HealthCheckResponse_ServingStatus as ServingStatus } from "../../../gen/health/v1/health_pb.ts";
import { callOf } from "../../interceptors/call.ts";
import { errorOf } from "../../interceptors/error-info.ts";
import type { Readiness } from "../endpoints/probes.ts";
import { CONNECTION } from "../http/connection.ts";
import { createWatchers, type WatchLimits } from "./watchers.ts";

/** `grpc.health.v1.Health`: the status of `/readyz` for gRPC load balancers and probes. All services share one status. */
export function createHealthService(
  services: readonly DescService[],
  readiness: Readiness,
  limits: WatchLimits,
): ServiceImpl<typeof Health> {
  const names = new Set(["", ...services.map(({ typeName }) => typeName)]);
  const watchers = createWatchers(limits);

  async function status(): Promise<ServingStatus> {
    return (await readiness.isReady()) ? ServingStatus.SERVING : ServingStatus.NOT_SERVING;
  }

  return {
    async check({ service }) {
      if (!names.has(service))
        throw errorOf("service_not_found", "service: unknown; leave it empty for the server", { field: "service" });
      return { status: await status() };
    },
    async list() {
      const now = await status();
      return { statuses: Object.fromEntries([...names].map((name) => [name, { status: now }])) };
    },
    async *watch({ service }, { signal, values }) {
      const { ended, leave } = watchers.join(values.get(CONNECTION), callOf(values).address);
      try {
        // The end of the process is reported at once.
        const wake = AbortSignal.any([signal, ended, readiness.draining]);
        let reported: ServingStatus | undefined;
        while (!signal.aborted) {
          ended.throwIfAborted();
          const now = names.has(service) ? await status() : ServingStatus.SERVICE_UNKNOWN;
          if (now !== reported) yield { status: now };
          reported = now;
          // An open stream would delay the end of the process. The client reconnects to another process.
          if (readiness.draining.aborted) return;
          await sleep(untilNextCheck(limits.intervalMs), undefined, { signal: wake }).catch(() => undefined);
        }
      } finally {
        leave();
      }
    },
  };
}

/** All watchers check at the same times, so that one query to the storage serves all of them. */
function untilNextCheck(intervalMs: number): number {
  return Math.ceil(intervalMs - (performance.now() % intervalMs));
}
