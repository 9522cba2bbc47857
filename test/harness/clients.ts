import {
  createLatchkeyClient,
  type LatchkeyClient,
  type LatchkeyClientOptions,
} from "../../clients/typescript/src/index.ts";
import { type Latchkey, newTenant } from "./latchkey.ts";

/** A dashboard user of one tenant; each attempt mints a token, so the service's clock may be moved. */
export function dashboardClient(latchkey: Latchkey, tenant = newTenant()): LatchkeyClient {
  const getUserToken = (): Promise<string> => latchkey.dashboardToken({ tenant_id: tenant });
  return createLatchkeyClient({ baseUrl: latchkey.url, getUserToken });
}

/** A customer's backend. It tries once by default, so that a test sees the first answer. */
export function secretKeyClient(
  latchkey: Latchkey,
  apiKey: string,
  options: Partial<Pick<LatchkeyClientOptions, "retry" | "timeoutMs" | "fetch">> & {
    readonly onBehalfOf?: string;
  } = {},
): LatchkeyClient {
  return createLatchkeyClient({ baseUrl: latchkey.url, apiKey, retry: { attemptsMax: 1 }, ...options });
}

/** The full value of a new secret key of the client's tenant. */
export async function newKey(dashboard: LatchkeyClient, ...permissions: string[]): Promise<string> {
  const { result } = await dashboard.apiKeys.createApiKey({ name: "a key", permissions });
  if (result === undefined) throw new Error("no key was created");
  return result.key;
}
