import type { DescMethod, DescService, Message } from "@bufbuild/protobuf";
import {
  ApiKeyService,
  AuditService,
  AuthService,
  FederationService,
  GatewayService,
  KeyPolicyService,
  type LatchkeyClient,
  LeakService,
  OperatorService,
  OrgService,
  RequestService,
  ScopeService,
  TokenService,
  UsageService,
  WebhookService,
} from "../../../clients/typescript/src/index.ts";
import commands from "../../../gen/commands.json" with { type: "json" };
import type { CallerKind } from "../connection.ts";

/** What the protos say of an RPC or of a member of a request, and descriptors do not (tools/protoc-gen-commands). */
export interface Facts {
  /** With other members in backticks. */
  readonly help: string;
  readonly default?: string;
  readonly path?: string;
  readonly required?: boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly choices?: readonly string[];
  /** Of a member of an update: whether it can be cleared. */
  readonly clearable?: boolean;
}

const FACTS: Readonly<Record<string, Facts>> = commands;

/** An RPC that a command calls. */
export interface Rpc {
  /** Such as `ApiKeyService.GetApiKey`. */
  readonly name: string;
  readonly method: DescMethod;
  readonly kind: CallerKind;
  call(client: LatchkeyClient, request: object): Promise<Message>;
}

/** The services, as members of the client, in the order of help. */
const SERVICES = {
  apiKeys: ApiKeyService,
  keyPolicies: KeyPolicyService,
  usage: UsageService,
  requests: RequestService,
  orgs: OrgService,
  audit: AuditService,
  webhooks: WebhookService,
  tokens: TokenService,
  federation: FederationService,
  operator: OperatorService,
  scopes: ScopeService,
  auth: AuthService,
  gateway: GatewayService,
  leaks: LeakService,
} as const satisfies Record<Exclude<keyof LatchkeyClient, "sendAndWait">, DescService>;

/** The callers of those that dashboard users do not call first. */
const KINDS: Readonly<Record<string, CallerKind>> = { tokens: "any", operator: "operator", scopes: "any" };

/** All RPCs. */
export const RPCS: readonly Rpc[] = Object.entries(SERVICES).flatMap(([member, service]) =>
  service.methods.map((method: DescMethod) => ({
    name: `${service.name}.${method.name}`,
    method,
    kind: KINDS[member] ?? "user",
    call: (client, request) => Reflect.get(Reflect.get(client, member), method.localName)(request),
  })),
);

export function rpcOf(name: string): Rpc {
  const rpc = RPCS.find((each) => each.name === name);
  if (rpc === undefined) throw new Error(`there is no RPC ${name}`);
  return rpc;
}

/** The facts of `Service.Method` or `Request.member`. */
export function factsOf(name: string): Facts {
  return FACTS[name] ?? { help: "" };
}
