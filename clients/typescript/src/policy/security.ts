import type { DescMethod, JsonObject } from "@bufbuild/protobuf";
import { Caller } from "../gen/latchkey/v1/policy_pb.ts";
import { type MethodPolicy, methodPolicy, nameOf } from "./method-policy.ts";

/** How each kind of caller says who they are. */
export const SECURITY_SCHEMES: JsonObject = {
  DashboardJwt: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description: "A dashboard user: the ID token of the platform's own identity provider. Its claim names the tenant.",
  },
  SecretKey: {
    type: "apiKey",
    in: "header",
    name: "X-API-Key",
    description:
      "A customer's backend: a key that begins with `sk_`, alone. In a browser, as here, it is denied unless it has `allow_browser`.",
  },
  AccessToken: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description: "A token of this service's that stands for a secret key, for a short time and with less.",
  },
  PublishableKey: {
    type: "apiKey",
    in: "header",
    name: "X-API-Key",
    description: "A client app: a key that begins with `pk_`, always together with its user's token (`UserJwt`).",
  },
  UserJwt: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description: "The app's own user: a token that the publishable key's OIDC configuration accepts.",
  },
  OperatorToken: {
    type: "http",
    scheme: "bearer",
    description: "The operator of the service: one of the tokens of `OPERATOR_TOKEN`.",
  },
};

/** The ways to call an RPC, of which one is enough, each with the scope that it needs. Empty: anyone may call it. */
export function securityOf({ callers, scope, userScope, tokens }: MethodPolicy): JsonObject[] {
  const scopes = scope === "" ? [] : [scope];
  const userScopes = userScope === "" ? [] : [userScope];
  if (callers.includes(Caller.ANYONE)) return [];
  return callers.flatMap((caller): JsonObject[] => {
    switch (caller) {
      case Caller.DASHBOARD_USER:
        return [{ DashboardJwt: userScopes }];
      case Caller.SECRET_KEY:
        return [{ SecretKey: scopes }, ...(tokens ? [{ AccessToken: scopes }] : [])];
      case Caller.PUBLISHABLE_KEY:
        return [{ PublishableKey: scopes, UserJwt: [] }];
      case Caller.OPERATOR:
        return [{ OperatorToken: [] }];
      default:
        throw new Error(`the caller ${caller} is unknown to this generator`);
    }
  });
}

/** What an OpenAPI document of RPCs says about their callers: a document to merge into the one that describes the messages. */
export function openapiSecurity(methods: readonly DescMethod[]): string {
  const security = methods.map((method) => [`/${nameOf(method)}`, securityOf(methodPolicy(method))] as const);
  const used = new Set(security.flatMap(([, ways]) => ways.flatMap((way) => Object.keys(way))));
  const document = {
    openapi: "3.1.0",
    info: { title: "The callers of each RPC, from (latchkey.v1.policy)", version: "1" },
    paths: Object.fromEntries(security.map(([path, ways]) => [path, { post: { security: ways } }])),
    components: {
      securitySchemes: Object.fromEntries(Object.entries(SECURITY_SCHEMES).filter(([name]) => used.has(name))),
    },
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}
