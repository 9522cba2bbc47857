import { createServer } from "node:http";
import Provider from "oidc-provider";
import { signIn } from "../../identity/sign-in.ts";
import { closeAll, listenOnLoopback } from "../../servers/loopback.ts";
import { type Issuer, REDIRECT_URI } from "./issuer.ts";

/** oidc-provider as it is, with its own pages for development. */
export async function startOidcProvider(): Promise<Issuer> {
  let respond: ReturnType<Provider["callback"]> | undefined;
  // The issuer has the port, so the port is bound first.
  const server = createServer((req, res) => void respond?.(req, res));
  const url = `http://127.0.0.1:${await listenOnLoopback(server)}`;
  const clients = ["console", "web-app"].map((client_id) => ({
    client_id,
    token_endpoint_auth_method: "none" as const,
    redirect_uris: [REDIRECT_URI],
    grant_types: ["authorization_code", "refresh_token"],
  }));
  const provider = new Provider(url, {
    clients,
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed("refresh_token"),
  });
  respond = provider.callback();
  return {
    url,
    tokenFor: async (client) =>
      (await signIn(url, client, REDIRECT_URI, { login: "alice", password: "any" }, "RS256")).idToken,
    stop: () => closeAll(server),
  };
}
