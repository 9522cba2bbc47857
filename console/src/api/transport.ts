import { Code, ConnectError, type Interceptor, type Transport } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import type { Session } from "../session/session.ts";

/**
 * Calls of the service with the user's token. A token that is refused is renewed once, since roles, tenant and the
 * provider's keys may have changed since it was issued.
 */
export function createTransport(session: Session): Transport {
  const withToken: Interceptor = (next) => async (req) => {
    req.header.set("Authorization", `Bearer ${await session.token()}`);
    try {
      return await next(req);
    } catch (err) {
      if (ConnectError.from(err).code !== Code.Unauthenticated) throw err;
      await session.renew();
      req.header.set("Authorization", `Bearer ${await session.token()}`);
      return next(req);
    }
  };
  return createConnectTransport({ baseUrl: location.origin, interceptors: [withToken] });
}
