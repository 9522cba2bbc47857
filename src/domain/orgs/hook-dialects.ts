import { findClaim } from "../tokens/claims.ts";
import { isIdentifier } from "../tokens/identifier-claim.ts";
import { isJsonObject } from "../vocabulary/json-object.ts";
import { faultOf, invalid, RequestFault } from "../vocabulary/request-fault.ts";

/** Who signs in, as a provider's login hook names them. */
export interface HookUser {
  readonly userId: string;
  /** Undefined: the configured issuer. */
  readonly issuer: string | undefined;
}

/** The claims of a user's next token. Empty texts and lists: the user has no current tenant. */
export interface HookClaims {
  readonly tenant_id: string;
  readonly roles: readonly string[];
}

type Json = Readonly<Record<string, unknown>>;

/** The request and response of a provider's login hook. */
export interface HookDialect {
  /** The path to the user's id in the request. */
  readonly userIdAt: string;
  /** The path to the issuer, where the request may name one. */
  readonly issuerAt?: string;
  /** The body of the answer; undefined: 204, which leaves the token as it is. */
  answer(request: Json, claims: HookClaims): Json | undefined;
}

/** Only the claims of a user with a tenant: a provider must not write empty ones. */
const present = (claims: HookClaims): Json => (claims.tenant_id === "" ? {} : { ...claims });

/**
 * Claims that a provider sends and gets back, with those of the user. Their tenant comes from the token before: a
 * removed user would keep it with each refresh.
 */
const replaced = ({ tenant_id: _tenant, roles: _roles, ...others }: Json, claims: HookClaims): Json => ({
  ...others,
  ...present(claims),
});

const object = (request: Json, path: string): Json => {
  const found = findClaim(request, path);
  return isJsonObject(found) ? found : {};
};

/** Where Okta's request has each token, and the command that changes it. */
const OKTA_COMMANDS = [
  ["data.identity", "com.okta.identity.patch"],
  ["data.access", "com.okta.access.patch"],
] as const;

/** By the name that `?dialect=` has. Payloads: docs/guides/identity. */
export const HOOK_DIALECTS = {
  /** Returns all claims: those that are missing would be missing in the token. */
  supabase: {
    userIdAt: "user_id",
    answer: (request, claims) => ({ claims: replaced(object(request, "claims"), claims) }),
  },
  /** A command for a token that was not requested would be an error, so only the tokens of the request are changed. */
  okta: {
    userIdAt: "data.context.user.id",
    answer: (request, claims) => {
      const commands = OKTA_COMMANDS.filter(([token]) => findClaim(request, token) !== undefined).map(([, type]) => ({
        type,
        value: Object.entries(claims).map(([name, value]) => ({ op: "add", path: `/claims/${name}`, value })),
      }));
      return claims.tenant_id === "" || commands.length === 0 ? undefined : { commands };
    },
  },
  entra: {
    userIdAt: "data.authenticationContext.user.id",
    answer: (_request, claims) => ({
      data: {
        "@odata.type": "microsoft.graph.onTokenIssuanceStartResponseData",
        actions: [
          { "@odata.type": "microsoft.graph.tokenIssuanceStart.provideClaimsForToken", claims: present(claims) },
        ],
      },
    }),
  },
  /** Returns both parts whole: they replace what is there. */
  hydra: {
    userIdAt: "session.id_token.subject",
    answer: (request, claims) => ({
      session: {
        access_token: replaced(object(request, "session.extra"), claims),
        id_token: replaced(object(request, "session.id_token.id_token_claims.ext"), claims),
      },
    }),
  },
  zitadel: {
    userIdAt: "userinfo.sub",
    answer: (_request, claims) => ({
      append_claims: Object.entries(present(claims)).map(([key, value]) => ({ key, value })),
    }),
  },
} as const satisfies Record<string, HookDialect>;

/** Our own form. */
export const OWN_DIALECT: Pick<HookDialect, "userIdAt" | "issuerAt"> = { userIdAt: "sub", issuerAt: "issuer" };

/** The user that a request of a login hook is about. Throws `RequestFault`. */
export function hookUser(
  { userIdAt, issuerAt }: Pick<HookDialect, "userIdAt" | "issuerAt">,
  request: unknown,
): HookUser {
  if (!isJsonObject(request)) throw new RequestFault("malformed_body", "body: must be a JSON object");
  const userId = findClaim(request, userIdAt);
  if (typeof userId !== "string" || !isIdentifier(userId)) {
    throw faultOf("required", userIdAt, "is required: the id of the user, as a string of 1 to 256 characters");
  }
  const issuer = issuerAt === undefined ? undefined : findClaim(request, issuerAt);
  if (issuer !== undefined && typeof issuer !== "string") throw invalid("issuer", "must be a string");
  return { userId, issuer: issuer === "" ? undefined : issuer };
}
