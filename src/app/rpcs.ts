import type { DescService } from "@bufbuild/protobuf";
import { type ConnectRouter, createConnectRouter, type ServiceImpl } from "@connectrpc/connect";
import { ApiKeyService } from "../../gen/latchkey/v1/api_key_service_pb.ts";
import { AuditService } from "../../gen/latchkey/v1/audit_service_pb.ts";
import { AuthService } from "../../gen/latchkey/v1/auth_service_pb.ts";
import { GatewayService } from "../../gen/latchkey/v1/gateway_service_pb.ts";
import { KeyPolicyService } from "../../gen/latchkey/v1/key_policy_service_pb.ts";
import { LeakService } from "../../gen/latchkey/v1/leak_service_pb.ts";
import { OperatorService } from "../../gen/latchkey/v1/operator_service_pb.ts";
import { OrgService } from "../../gen/latchkey/v1/org_service_pb.ts";
import { ScopeService } from "../../gen/latchkey/v1/scope_service_pb.ts";
import { UsageService } from "../../gen/latchkey/v1/usage_service_pb.ts";
import type { UnaryImpl } from "../interceptors/call.ts";
import type { ErrorTranslator } from "../interceptors/errors.ts";
import type { Gate } from "../interceptors/gate/gate.ts";
import { createInterceptors, toRequestGate } from "../interceptors/index.ts";
import type { FrontDoor } from "../transport/handler.ts";
import { BODY_BYTES_MAX } from "../transport/request/body.ts";
import { rpcsOf, type UnaryRpc } from "../transport/unary.ts";

/** Every service with a policy. */
export const SERVICES = [
  ApiKeyService,
  AuditService,
  AuthService,
  GatewayService,
  KeyPolicyService,
  LeakService,
  OperatorService,
  OrgService,
  ScopeService,
  UsageService,
] as const;

/** A service and what serves it. */
export interface MountedService {
  readonly service: DescService;
  /** Adds it to Connect's router. */
  readonly addTo: (router: ConnectRouter) => void;
  /** The same RPCs, for the lean path. */
  readonly rpcs: readonly UnaryRpc[];
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

/** Mounts each RPC twice: behind Connect's handler, and for the lean path (ADR 10). Throws if a service is missing. */
export function mountServices(
  gate: Gate,
  translate: ErrorTranslator,
  services: readonly MountedService[],
): Pick<FrontDoor, "handlers" | "rpcs"> {
  const missing = SERVICES.filter((declared) => !services.some(({ service }) => service === declared));
  if (missing.length > 0) throw new Error(`no part serves ${missing.map(({ typeName }) => typeName).join(", ")}`);
  const router = createConnectRouter({
    requestGate: toRequestGate(gate),
    interceptors: createInterceptors(translate),
    jsonOptions: { alwaysEmitImplicit: true, ignoreUnknownFields: true },
    readMaxBytes: BODY_BYTES_MAX,
    acceptCompression: [],
  });
  for (const { addTo } of services) addTo(router);
  return { handlers: router.handlers, rpcs: services.flatMap(({ rpcs }) => rpcs) };
}
