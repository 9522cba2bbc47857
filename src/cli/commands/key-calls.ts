import type { LatchkeyClient } from "../../../clients/typescript/src/index.ts";
import type { Invocation } from "../command.ts";

type OfUser = LatchkeyClient["apiKeys"];
type OfOperator = LatchkeyClient["operator"];

/** The members of a request, of the user's call or of its twin for the operator. */
type Members<Call extends keyof OfUser> = Omit<Parameters<OfUser[Call]>[0], "$typeName" | "$unknown">;

/** Calls about keys of one tenant. */
export interface KeyCalls {
  list(request: Members<"listApiKeys">): ReturnType<OfUser["listApiKeys"] | OfOperator["listTenantKeys"]>;
  get(request: Members<"getApiKey">): ReturnType<OfUser["getApiKey"] | OfOperator["getTenantKey"]>;
  update(request: Members<"updateApiKey">): ReturnType<OfUser["updateApiKey"] | OfOperator["updateTenantKey"]>;
  rotate(request: Members<"rotateApiKey">): ReturnType<OfUser["rotateApiKey"] | OfOperator["rotateTenantKey"]>;
  usage(request: Members<"getApiKeyUsage">): ReturnType<OfUser["getApiKeyUsage"] | OfOperator["getTenantKeyUsage"]>;
}

/** Connects for the calls of one run. */
export type KeyCaller = (
  run: Pick<Invocation<{ readonly tenant?: string }>, "client" | "options">,
) => Promise<KeyCalls>;

/** By a dashboard user's token: their own tenant. */
export const asUser: KeyCaller = async (run) => {
  const { apiKeys } = await run.client("user");
  return {
    list: (request) => apiKeys.listApiKeys(request),
    get: (request) => apiKeys.getApiKey(request),
    update: (request) => apiKeys.updateApiKey(request),
    rotate: (request) => apiKeys.rotateApiKey(request),
    usage: (request) => apiKeys.getApiKeyUsage(request),
  };
};

/** By the operator's token: the tenant that `--tenant` names. */
export const asOperator: KeyCaller = async (run) => {
  const { operator } = await run.client("operator");
  const { tenant: tenantId = "" } = run.options;
  return {
    list: (request) => operator.listTenantKeys({ ...request, tenantId }),
    get: (request) => operator.getTenantKey({ ...request, tenantId }),
    update: (request) => operator.updateTenantKey({ ...request, tenantId }),
    rotate: (request) => operator.rotateTenantKey({ ...request, tenantId }),
    usage: (request) => operator.getTenantKeyUsage({ ...request, tenantId }),
  };
};
