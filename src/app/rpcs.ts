import type { DescService } from "@bufbuild/protobuf";
import { createConnectRouter, type ServiceImpl } from "@connectrpc/connect";
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

/** The implementation of each. */
export interface Services {
  readonly apiKeys: UnaryImpl<typeof ApiKeyService>;
  readonly audit: UnaryImpl<typeof AuditService>;
  readonly auth: UnaryImpl<typeof AuthService>;
  readonly gateway: UnaryImpl<typeof GatewayService>;
  readonly keyPolicies: UnaryImpl<typeof KeyPolicyService>;
  readonly leaks: UnaryImpl<typeof LeakService>;
  readonly operator: UnaryImpl<typeof OperatorService>;
  readonly orgs: UnaryImpl<typeof OrgService>;
  readonly scopes: UnaryImpl<typeof ScopeService>;
  readonly usage: UnaryImpl<typeof UsageService>;
}

/** Mounts each RPC twice: behind Connect's handler, and for the lean path (ADR 10). */
export function mountServices(
  gate: Gate,
  translate: ErrorTranslator,
  { apiKeys, audit, auth, gateway, keyPolicies, leaks, operator, orgs, scopes, usage }: Services,
): Pick<FrontDoor, "handlers" | "rpcs"> {
  const router = createConnectRouter({
    requestGate: toRequestGate(gate),
    interceptors: createInterceptors(translate),
    jsonOptions: { alwaysEmitImplicit: true, ignoreUnknownFields: true },
    readMaxBytes: BODY_BYTES_MAX,
    acceptCompression: [],
  });
  const rpcs: UnaryRpc[] = [];
  const mount = <Service extends DescService>(
    service: Service,
    implementation: UnaryImpl<Service> & ServiceImpl<Service>,
  ): void => {
    router.service(service, implementation);
    rpcs.push(...rpcsOf(service, implementation));
  };
  mount(ApiKeyService, apiKeys);
  mount(AuditService, audit);
  mount(AuthService, auth);
  mount(GatewayService, gateway);
  mount(KeyPolicyService, keyPolicies);
  mount(LeakService, leaks);
  mount(OperatorService, operator);
  mount(OrgService, orgs);
  mount(ScopeService, scopes);
  mount(UsageService, usage);
  return { handlers: router.handlers, rpcs };
}
