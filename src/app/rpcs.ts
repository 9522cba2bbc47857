import type { DescService } from "@bufbuild/protobuf";
import { type ConnectRouter, createConnectRouter, type ServiceImpl } from "@connectrpc/connect";
import { SERVICES } from "../../gen/latchkey/v1/services.ts";
import type { UnaryImpl } from "../interceptors/call.ts";
import type { ErrorTranslator } from "../interceptors/errors.ts";
import type { Gate } from "../interceptors/gate/gate.ts";
import { createInterceptors, toRequestGate } from "../interceptors/index.ts";
import type { FrontDoor } from "../transport/handler.ts";
import { BODY_BYTES_MAX } from "../transport/request/body.ts";
import { rpcsOf, type UnaryImplementation } from "../transport/unary.ts";

/** A service and what serves it. */
export interface MountedService {
  readonly service: DescService;
  /** Adds it to Connect's router. */
  readonly addTo: (router: ConnectRouter) => void;
  /** The same RPCs, for the lean path. */
  readonly rpcs: readonly UnaryImplementation[];
}

export function mounted<Service extends DescService>(
  service: Service,
  implementation: UnaryImpl<Service> & ServiceImpl<Service>,
): MountedService {
  return {
    service,
    addTo: (router) => void router.service(service, implementation),
    rpcs: rpcsOf(service, implementation),
  };
}

/** Mounts each RPC twice: behind Connect's handler, for gRPC and gRPC-Web, and for the lean path (ADR 10). Throws if a service is missing. */
export function mountServices(
  gate: Gate,
  translate: ErrorTranslator,
  services: readonly MountedService[],
): Pick<FrontDoor, "handlers" | "rpcs"> {
  const missing = SERVICES.filter((declared) => !services.some(({ service }) => service === declared));
  if (missing.length > 0) throw new Error(`no part serves ${missing.map(({ typeName }) => typeName).join(", ")}`);
  const router = createConnectRouter({
    // Calls in Connect's protocol are plain calls, which the lean path serves.
    connect: false,
    requestGate: toRequestGate(gate),
    interceptors: createInterceptors(translate),
    jsonOptions: { alwaysEmitImplicit: true, ignoreUnknownFields: true },
    readMaxBytes: BODY_BYTES_MAX,
    acceptCompression: [],
  });
  for (const { addTo } of services) addTo(router);
  return { handlers: router.handlers, rpcs: services.flatMap(({ rpcs }) => rpcs) };
}
