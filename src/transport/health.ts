import { setTimeout as sleep } from "node:timers/promises";
import type { DescService } from "@bufbuild/protobuf";
import { Code, ConnectError, type ServiceImpl } from "@connectrpc/connect";
import { type Health, HealthCheckResponse_ServingStatus as ServingStatus } from "../../gen/health/v1/health_pb.ts";
import type { Readiness } from "./probes.ts";

/** How often a watched status is looked at. The end of a process is told at once. */
const WATCH_INTERVAL_MS = 5_000;
/** Watchers at a time. They need no credentials and each asks the storage, so there must be a bound. */
const WATCHERS_MAX = 100;

/** `grpc.health.v1.Health`: what `/readyz` says, for gRPC's load balancers and probes; of every service the same. */
export function createHealthService(
  services: readonly DescService[],
  readiness: Readiness,
): ServiceImpl<typeof Health> {
  const names = new Set(["", ...services.map(({ typeName }) => typeName)]);
  let watchers = 0;

  async function status(): Promise<ServingStatus> {
    return (await readiness.isReady()) ? ServingStatus.SERVING : ServingStatus.NOT_SERVING;
  }

  return {
    async check({ service }) {
      if (!names.has(service)) throw new ConnectError("service: unknown; leave it empty for the server", Code.NotFound);
      return { status: await status() };
    },
    async list() {
      const now = await status();
      return { statuses: Object.fromEntries([...names].map((name) => [name, { status: now }])) };
    },
    async *watch({ service }, { signal }) {
      if (watchers >= WATCHERS_MAX) throw new ConnectError("too many watchers; use Check", Code.ResourceExhausted);
      watchers++;
      try {
        const wake = AbortSignal.any([signal, readiness.draining]);
        let told: ServingStatus | undefined;
        while (!signal.aborted) {
          const now = names.has(service) ? await status() : ServingStatus.SERVICE_UNKNOWN;
          if (now !== told) yield { status: now };
          told = now;
          // An open stream would keep the process from ending; the client comes back to another one.
          if (readiness.draining.aborted) return;
          await sleep(WATCH_INTERVAL_MS, undefined, { signal: wake }).catch(() => undefined);
        }
      } finally {
        watchers--;
      }
    },
  };
}
