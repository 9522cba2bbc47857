import { type Answer, post } from "./http.ts";
import { type Latchkey, type LatchkeyOptions, startLatchkey } from "./latchkey.ts";
import { trusting } from "./trusted-proxies.ts";

export const REPORT_LEAK = "/api/v1/api-keys/report-leak";

/** A service that takes the client's address from the test, because addresses share a bound. */
export function startWithAddresses({ config, ...options }: LatchkeyOptions = {}): Promise<Latchkey> {
  return startLatchkey({ ...options, config: { trustedProxies: trusting(["127.0.0.1"]), ...config } });
}

let addresses = 0;

/** An address that no other test of this worker has. */
export function newAddress(): string {
  addresses += 1;
  return `10.${Math.floor(addresses / 65_536) % 256}.${Math.floor(addresses / 256) % 256}.${addresses % 256}`;
}

export interface Report {
  readonly key: string;
  readonly url?: string;
  readonly source?: string;
}

/** Reports keys without credentials, from an address of its own unless one is given. */
export function report(
  latchkey: Pick<Latchkey, "url">,
  reports: readonly Report[],
  headers: Record<string, string> = {},
): Promise<Answer> {
  return post(latchkey.url, REPORT_LEAK, { reports }, { "x-forwarded-for": newAddress(), ...headers });
}
