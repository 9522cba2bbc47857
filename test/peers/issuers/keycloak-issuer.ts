import { signIn } from "../../identity/sign-in.ts";
import { startKeycloak } from "../keycloak.ts";
import { type Issuer, PASSWORD, REDIRECT_URI } from "./issuer.ts";

const REALM = {
  realm: "acme",
  enabled: true,
  clients: ["console", "web-app"].map((clientId) => ({
    ...{ clientId, publicClient: true, standardFlowEnabled: true, redirectUris: [REDIRECT_URI] },
  })),
  users: [
    {
      ...{ username: "alice", firstName: "Alice", lastName: "Example", email: "alice@example.com", enabled: true },
      credentials: [{ type: "password", value: PASSWORD, temporary: false }],
    },
  ],
};

export async function startKeycloakIssuer(): Promise<Issuer> {
  const { url, admin, stop } = await startKeycloak();
  await admin("POST", "realms", REALM);
  const login = { username: "alice", password: PASSWORD };
  return {
    url,
    tokenFor: async (client) => (await signIn(`${url}/realms/acme`, client, REDIRECT_URI, login, "RS256")).idToken,
    stop,
  };
}
