import type { DescService } from "@bufbuild/protobuf";
import { createConnectRouter } from "@connectrpc/connect";
import type { UniversalHandler } from "@connectrpc/connect/protocol";
import { ServerReflection } from "../../../gen/grpc/reflection/v1/reflection_pb.ts";
import { ServerReflection as ServerReflectionV1Alpha } from "../../../gen/grpc/reflection/v1alpha/reflection_pb.ts";
import { Health } from "../../../gen/health/v1/health_pb.ts";
import { DenialSchema } from "../../../gen/latchkey/v1/denial_pb.ts";
import { BODY_BYTES_MAX } from "../request/body.ts";
import { createHealthService } from "./health.ts";
import type { Readiness } from "./probes.ts";
import { createReflectionServices } from "./reflection.ts";
import { WATCH_LIMITS, type WatchLimits } from "./watchers.ts";

/**
 * Most bytes of a message of a stream, which is a name or two. Anyone may send it, and to parse a megabyte of fields would
 * keep the process from everyone else for a tenth of a second.
 */
const STREAM_MESSAGE_BYTES_MAX = 16_384;

const OPEN_SERVICES = [Health, ServerReflection, ServerReflectionV1Alpha];

/**
 * gRPC's own services beside ours. They answer without credentials, as probes do, and tell nothing of any tenant.
 *
 * They have a router of their own: whatever is added to the other one has a policy or the process does not start.
 */
export function createOpenHandlers(
  services: readonly DescService[],
  readiness: Readiness,
  watchLimits: WatchLimits = WATCH_LIMITS,
): UniversalHandler[] {
  const reflection = createReflectionServices([...services, ...OPEN_SERVICES], [DenialSchema.file]);
  const health = createHealthService(services, readiness, watchLimits);
  const routes = (readMaxBytes: number) =>
    createConnectRouter({ readMaxBytes, acceptCompression: [] })
      .service(Health, health)
      .service(ServerReflection, reflection.v1)
      .service(ServerReflectionV1Alpha, reflection.v1alpha).handlers;
  return [
    ...routes(BODY_BYTES_MAX).filter(({ method }) => method.methodKind === "unary"),
    ...routes(STREAM_MESSAGE_BYTES_MAX).filter(({ method }) => method.methodKind !== "unary"),
  ];
}
