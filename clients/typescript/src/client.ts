import type { Interceptor } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import { checkedBaseUrl } from "./base-url.ts";
import { type Credentials, checkedCredentials, sendCredentials } from "./credentials.ts";
import { ApiKeyService } from "./gen/latchkey/v1/api_key_service_pb.ts";
import { AuditService } from "./gen/latchkey/v1/audit_service_pb.ts";
import { AuthService } from "./gen/latchkey/v1/auth_service_pb.ts";
import { FederationService } from "./gen/latchkey/v1/federation_service_pb.ts";
import { GatewayService } from "./gen/latchkey/v1/gateway_service_pb.ts";
import { KeyPolicyService } from "./gen/latchkey/v1/key_policy_service_pb.ts";
import { LeakService } from "./gen/latchkey/v1/leak_service_pb.ts";
import { OperatorService } from "./gen/latchkey/v1/operator_service_pb.ts";
import { OrgService } from "./gen/latchkey/v1/org_service_pb.ts";
import { RequestService } from "./gen/latchkey/v1/request_service_pb.ts";
import { ScopeService } from "./gen/latchkey/v1/scope_service_pb.ts";
import { TokenService } from "./gen/latchkey/v1/token_service_pb.ts";
import { UsageService } from "./gen/latchkey/v1/usage_service_pb.ts";
import { WebhookService } from "./gen/latchkey/v1/webhook_service_pb.ts";
import { checkOptions, namesOf } from "./known-options.ts";
import { reachingFetch } from "./reaching-fetch.ts";
import { nameCalls } from "./repeatable.ts";
import { RETRY_OPTIONS, type RetryOptions, retryCalls } from "./retry.ts";
import { type OutgoingMessage, type Reply, type SendAndWaitOptions, sendAndWait } from "./send-and-wait.ts";
import { createStrictClient, type ServiceClient } from "./strict-client.ts";
import { checkTimeout } from "./timeout.ts";
import { endWithSignal } from "./until-aborted.ts";
import { userAgent } from "./user-agent.ts";

/** Where Latchkey is, who calls, and how patiently. */
export type LatchkeyClientOptions = Credentials & {
  /** Without the API's path: `https://api.example.com`. It begins with `https://`, but on this machine. */
  readonly baseUrl: string;
  /**
   * Allows a `baseUrl` that begins with `http://` beyond this machine, as in a private network. Credentials are then sent in
   * the clear. Default: false.
   */
  readonly insecureHttp?: boolean | undefined;
  /** Longest time for one call with all its attempts, in ms, up to 2,147,483,647; 0 is without end. Default: 60,000. */
  readonly timeoutMs?: number | undefined;
  readonly retry?: RetryOptions | undefined;
  /** Makes the requests. Default: the platform's `fetch`. */
  readonly fetch?: typeof fetch | undefined;
};

/** One caller of Latchkey. It holds no connection, so one for each user that a backend acts for costs nothing. */
export interface LatchkeyClient {
  /** Dashboard users only. */
  readonly apiKeys: ServiceClient<typeof ApiKeyService>;
  readonly audit: ServiceClient<typeof AuditService>;
  readonly auth: ServiceClient<typeof AuthService>;
  /** Rules by which workloads get tokens without any stored secret. */
  readonly federation: ServiceClient<typeof FederationService>;
  readonly gateway: ServiceClient<typeof GatewayService>;
  /** Dashboard users only. */
  readonly keyPolicies: ServiceClient<typeof KeyPolicyService>;
  /** Needs no credentials: those of the client are not looked at. */
  readonly leaks: ServiceClient<typeof LeakService>;
  /** Dashboard users only. */
  readonly orgs: ServiceClient<typeof OrgService>;
  readonly requests: ServiceClient<typeof RequestService>;
  readonly scopes: ServiceClient<typeof ScopeService>;
  /** `deriveToken` is for secret keys. */
  readonly tokens: ServiceClient<typeof TokenService>;
  /** Dashboard users only. */
  readonly usage: ServiceClient<typeof UsageService>;
  readonly webhooks: ServiceClient<typeof WebhookService>;
  /** For those who run the service: `getUserToken` returns the operator's token, or that of a user with `system:*`. */
  readonly operator: ServiceClient<typeof OperatorService>;
  /**
   * Sends a message and waits for its reply.
   *
   * Throws `RunFailedError` where there will be no reply, and a `ConnectError` where a call fails: with code `canceled`
   * when the signal aborts. `runIdOf` returns the run of an error that came after the message was accepted.
   */
  sendAndWait(message: OutgoingMessage, options?: SendAndWaitOptions): Promise<Reply>;
}

const TIMEOUT_MS = 60_000;
const OPTIONS = namesOf<LatchkeyClientOptions>({
  baseUrl: true,
  insecureHttp: true,
  timeoutMs: true,
  retry: true,
  fetch: true,
  apiKey: true,
  getUserToken: true,
  accessToken: true,
  federation: true,
  onBehalfOf: true,
});

/**
 * Makes a client of Latchkey, for Node and for browsers.
 *
 * Calls throw `ConnectError`; `denialOf` and `isDenial` return the reason of a denial. Throws a `TypeError` for options that
 * no call could be made with.
 */
export function createLatchkeyClient(options: LatchkeyClientOptions): LatchkeyClient {
  checkOptions(options, OPTIONS);
  const baseUrl = checkedBaseUrl(options.baseUrl, options.insecureHttp);
  const credentials = checkedCredentials(options, { baseUrl, fetch: options.fetch });
  const { timeoutMs = TIMEOUT_MS, retry = {} } = options;
  checkOptions(retry, RETRY_OPTIONS, "retry");
  checkTimeout(timeoutMs, 0);
  const transport = createConnectTransport({
    baseUrl,
    fetch: reachingFetch(options.fetch),
    ...(timeoutMs > 0 && { defaultTimeoutMs: timeoutMs }),
    // From the outside in: a call has one name for all attempts, and each attempt the token of its moment, if that
    // comes before the call ends.
    interceptors: [nameClient(userAgent()), nameCalls, retryCalls(retry), endWithSignal, sendCredentials(credentials)],
  });
  const gateway = createStrictClient(GatewayService, transport);
  return {
    apiKeys: createStrictClient(ApiKeyService, transport),
    audit: createStrictClient(AuditService, transport),
    auth: createStrictClient(AuthService, transport),
    federation: createStrictClient(FederationService, transport),
    gateway,
    keyPolicies: createStrictClient(KeyPolicyService, transport),
    leaks: createStrictClient(LeakService, transport),
    orgs: createStrictClient(OrgService, transport),
    requests: createStrictClient(RequestService, transport),
    scopes: createStrictClient(ScopeService, transport),
    tokens: createStrictClient(TokenService, transport),
    usage: createStrictClient(UsageService, transport),
    webhooks: createStrictClient(WebhookService, transport),
    operator: createStrictClient(OperatorService, transport),
    sendAndWait: (message, waiting) => sendAndWait(gateway, message, waiting, retry.sleep),
  };
}

/** A call's own User-Agent stays. */
function nameClient(name: string | undefined): Interceptor {
  return (next) => (req) => {
    if (name !== undefined && !req.header.has("User-Agent")) req.header.set("User-Agent", name);
    return next(req);
  };
}
