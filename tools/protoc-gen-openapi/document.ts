import { type DescMethod, type DescService, getOption } from "@bufbuild/protobuf";
import { SECURITY_SCHEMES } from "../../clients/typescript/src/policy/security.ts";
import { statuses } from "../../gen/latchkey/v1/documentation_pb.ts";
import { AUTH_CHECK, AUTH_CHECK_HEADERS, AUTH_CHECK_PATH, AUTH_CHECK_RESPONSES } from "./auth-check.ts";
import { descriptionOf } from "./comments.ts";
import { ERROR_SCHEMAS, errorResponses } from "./errors.ts";
import { EVENT_TYPE_SCHEMA } from "./event-type.ts";
import { GITHUB_LEAKS, GITHUB_LEAKS_PATH, GITHUB_SECURITY_SCHEMES } from "./github-leaks.ts";
import { HEADERS, PARAMETERS } from "./headers.ts";
import { HOOK_SECURITY_SCHEMES, IDENTITY_CLAIMS, IDENTITY_CLAIMS_PATH, IDENTITY_TAG } from "./identity-claims.ts";
import type { JsonObject } from "./json.ts";
import { OAUTH_TAG, OAUTH_TOKEN, OAUTH_TOKEN_PATH } from "./oauth-token.ts";
import { operationOf, pathOf, policyOf, tagOf } from "./operation.ts";
import { PERMISSION_SCHEMA } from "./permission.ts";
import { createSchemas } from "./schemas.ts";

const INTRODUCTION = `The access layer of a multi-tenant platform: API keys, end users' tokens and dashboard users in, one verified caller out.

Every operation is a POST of a JSON object, except \`/auth/check\` for reverse proxies. Three kinds of caller: a dashboard
user (\`Authorization: Bearer <USER_JWT>\`), a secret key (\`X-API-Key: sk_...\`), and a publishable key with its user's
token (\`X-API-Key: pk_...\` and \`Authorization: Bearer <USER_JWT>\`). An access token, from \`/api/v1/tokens/derive\` or
\`/oauth/token\`, stands for a secret key (\`Authorization: Bearer <ACCESS_TOKEN>\`) in the operations that list it. Those
who run the service have a token of their own (\`Authorization: Bearer <OPERATOR_TOKEN>\`).

An unknown member of a request is refused, so that a misspelt one is not silently without effect; \`null\` is the same as
leaving a member out. An answer has all its
members, zero and empty ones too, save those that are not listed as required; a later version may have more. Numbers are
JSON numbers, instants are RFC 3339 in UTC.`;

/** The OpenAPI document: every RPC that has a path and what it needs, and the other paths of calls. */
export function buildDocument(services: readonly DescService[]): JsonObject {
  const routes = services
    .flatMap((service) => service.methods)
    .flatMap((method) => {
      const path = pathOf(method);
      return path === undefined ? [] : [{ path, method }];
    });
  const methods = routes.map(({ method }) => method);
  const schemas = createSchemas({
    requests: methods.map(({ input }) => input),
    openRequests: new Set(methods.filter(ignoresUnknown).map(({ input }) => input)),
    answers: methods.map(({ output }) => output),
  });
  return {
    openapi: "3.1.1",
    info: {
      title: "Latchkey",
      version: "v1",
      description: INTRODUCTION,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    externalDocs: { description: "Every error, its cause and its remedy", url: "docs/errors" },
    servers: [{ url: "/", description: "Where this document was fetched." }],
    tags: [...tags(methods), IDENTITY_TAG, OAUTH_TAG],
    paths: paths([
      ...routes.map(({ path, method }): [string, JsonObject] => [path, { post: operationOf(method, schemas) }]),
      [AUTH_CHECK_PATH, AUTH_CHECK],
      [IDENTITY_CLAIMS_PATH, { post: IDENTITY_CLAIMS }],
      [GITHUB_LEAKS_PATH, { post: GITHUB_LEAKS }],
      [OAUTH_TOKEN_PATH, { post: OAUTH_TOKEN }],
    ]),
    components: {
      securitySchemes: { ...SECURITY_SCHEMES, ...HOOK_SECURITY_SCHEMES, ...GITHUB_SECURITY_SCHEMES },
      schemas: merged(schemas.components, ERROR_SCHEMAS, PERMISSION_SCHEMA, EVENT_TYPE_SCHEMA),
      parameters: PARAMETERS,
      headers: { ...HEADERS, ...AUTH_CHECK_HEADERS },
      responses: {
        ...errorResponses(methods.flatMap((method) => getOption(method, statuses))),
        ...AUTH_CHECK_RESPONSES,
      },
    },
  };
}

function ignoresUnknown(method: DescMethod): boolean {
  return policyOf(method).ignoreUnknownMembers;
}

function tags(methods: readonly DescMethod[]): JsonObject[] {
  const services = [...new Set(methods.map(({ parent }) => parent))];
  return services.map((service) => ({
    name: tagOf(service),
    description: descriptionOf(service),
  }));
}

function paths(entries: [string, JsonObject][]): JsonObject {
  return unique(entries, "path");
}

/** A message that is named like a schema of ours would silently take its place. */
function merged(...parts: JsonObject[]): JsonObject {
  return unique(
    parts.flatMap((part) => Object.entries(part) as [string, JsonObject][]),
    "schema",
  );
}

function unique(entries: readonly [string, JsonObject][], what: string): JsonObject {
  const names = new Set<string>();
  for (const [name] of entries) {
    if (names.has(name)) throw new Error(`two of the ${what} ${name}`);
    names.add(name);
  }
  return Object.fromEntries(entries);
}
