import type { DescService } from "@bufbuild/protobuf";
import { type ConnectRouter, createConnectRouter, type ServiceImpl } from "@connectrpc/connect";
import type { UniversalHandler } from "@connectrpc/connect/protocol";
import { Authorization } from "../../../gen/envoy/service/auth/v3/external_auth_pb.ts";
import { ServerReflection } from "../../../gen/grpc/reflection/v1/reflection_pb.ts";
import { ServerReflection as ServerReflectionV1Alpha } from "../../../gen/grpc/reflection/v1alpha/reflection_pb.ts";
import { Health } from "../../../gen/health/v1/health_pb.ts";
import { DenialSchema } from "../../../gen/latchkey/v1/denial_pb.ts";
import type { Readiness } from "../endpoints/probes.ts";
import { BODY_BYTES_MAX } from "../request/body.ts";
import { createHealthService } from "./health.ts";
import { createReflectionServices } from "./reflection.ts";
import { blameMalformedStreams } from "./request-faults.ts";
import { WATCH_LIMITS, type WatchLimits } from "./watchers.ts";

/**
 * Maximum bytes of a message, which is a name or two. It needs no credentials, and parsing a megabyte of fields would block the event loop
 * for a tenth of a second.
 */
const MESSAGE_BYTES_MAX = 16_384;

const OPEN_SERVICES = [Health, ServerReflection, ServerReflectionV1Alpha];

/** Maximum bytes of the body of a unary call, or of one whole message: a service that checks its callers may get longer ones. */
export function bodyBytesMaxOf({ service }: Pick<UniversalHandler, "service">): number {
  return OPEN_SERVICES.some((open) => open === service) ? MESSAGE_BYTES_MAX : BODY_BYTES_MAX;
}

/** A service that checks its callers itself. */
export interface OwnService {
  readonly addTo: (router: ConnectRouter) => void;
}

export function ownService<Service extends DescService>(
  service: Service,
  implementation: ServiceImpl<Service>,
): OwnService {
  return { addTo: (router) => void router.service(service, implementation) };
}

/**
 * gRPC's own services: health and reflection. They answer without credentials, as probes do, and expose nothing of a tenant.
 *
 * They, and the services in `own`, have separate routers, because every RPC of the main router must have a policy, or the process does not start.
 */
export function createOpenHandlers(
  services: readonly DescService[],
  readiness: Readiness,
  watchLimits: WatchLimits = WATCH_LIMITS,
  own: readonly OwnService[] = [],
): UniversalHandler[] {
  const reflection = createReflectionServices([...services, ...OPEN_SERVICES, Authorization], [DenialSchema.file]);
  const health = createHealthService(services, readiness, watchLimits);
  const openRoutes = createConnectRouter({
    readMaxBytes: MESSAGE_BYTES_MAX,
    acceptCompression: [],
    interceptors: [blameMalformedStreams],
  })
    .service(Health, health)
    .service(ServerReflection, reflection.v1)
    .service(ServerReflectionV1Alpha, reflection.v1alpha);
  const ownRoutes = createConnectRouter({
    readMaxBytes: BODY_BYTES_MAX,
    acceptCompression: [],
    connect: false,
    grpcWeb: false,
  });
  for (const { addTo } of own) addTo(ownRoutes);
  return [...ownRoutes.handlers, ...openRoutes.handlers];
}
