import { createHmac } from "node:crypto";
import type { Answer } from "./http.ts";
import type { Latchkey } from "./latchkey.ts";

/** Two secrets, as while they are being changed; the second is one of Standard Webhooks, as Supabase shows it. */
export const BEARER_SECRET = "secret-of-the-login-hook-0123456789abcdef";
export const SIGNING_SECRET = `v1,whsec_${Buffer.from("secret-of-the-webhooks-0123456789").toString("base64")}`;
export const HOOK_PATH = "/api/v1/identity/claims";

/** Asks as a login hook does, with a secret in Authorization. */
export function askHook(
  latchkey: Pick<Latchkey, "call">,
  body: unknown,
  query = "",
  headers: Record<string, string> = { authorization: `Bearer ${BEARER_SECRET}` },
): Promise<Answer> {
  return latchkey.call(`${HOOK_PATH}${query}`, body, headers);
}

/** The headers of a body that is signed as Standard Webhooks does. */
export function standardSignature(body: string, at: Date, secret = SIGNING_SECRET): Record<string, string> {
  const time = String(Math.floor(at.getTime() / 1_000));
  const key = Buffer.from(secret.slice("v1,whsec_".length), "base64");
  const mac = createHmac("sha256", key).update(`msg_1.${time}.${body}`).digest("base64");
  return { "webhook-id": "msg_1", "webhook-timestamp": time, "webhook-signature": `v1,${mac}` };
}

/** The headers of a body that is signed as Zitadel does. */
export function zitadelSignature(body: string, at: Date, secret = BEARER_SECRET): Record<string, string> {
  const time = String(Math.floor(at.getTime() / 1_000));
  const mac = createHmac("sha256", secret).update(`${time}.${body}`).digest("hex");
  return { "zitadel-signature": `t=${time},v1=${mac}` };
}

/** What each provider's hook sends for a user, by the dialect's name: as its own pages show it, shortened. */
export const HOOK_PAYLOADS: Readonly<Record<string, (userId: string) => object>> = {
  supabase: (user_id) => ({
    user_id,
    claims: { iss: "https://ref.supabase.co/auth/v1", sub: user_id, role: "authenticated", aal: "aal1" },
    authentication_method: "password",
  }),
  okta: (id) => ({
    eventType: "com.okta.oauth2.tokens.transform",
    data: {
      context: { user: { id, profile: { login: "jo@example.com" } } },
      identity: { claims: { sub: id } },
      access: {},
    },
  }),
  entra: (id) => ({
    type: "microsoft.graph.authenticationEvent.tokenIssuanceStart",
    data: { authenticationContext: { user: { id, userPrincipalName: "jo@example.com" } } },
  }),
  hydra: (subject) => ({
    session: {
      extra: { kept: 1 },
      id_token: { subject, id_token_claims: { iss: "https://hydra.example", ext: { locale: "de" } } },
    },
    request: { client_id: "console", grant_types: ["refresh_token"] },
  }),
  zitadel: (sub) => ({ function: "function/preuserinfo", userinfo: { sub }, user: { id: sub }, org: { id: "1" } }),
};
