// promise: json.names, json.integers, fence.form
import { hasOption } from "@bufbuild/protobuf";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { http } from "../../gen/google/api/annotations_pb.ts";
import openapi from "../../gen/openapi.json" with { type: "json" };
import { createCatalogue } from "../../src/domain/access/catalogue.ts";
import { DENIALS } from "../../src/domain/vocabulary/denial.ts";
import { ERROR_REASONS } from "../../src/domain/vocabulary/error-reason.ts";
import { TRANSPORT_FAULTS } from "../../src/transport/answer/envelope.ts";
import { AUTH_CHECK_PATH } from "../../tools/protoc-gen-openapi/auth-check.ts";
import { buildDocument } from "../../tools/protoc-gen-openapi/document.ts";
import { PARTS } from "../../tools/protoc-gen-openapi/examples.ts";
import { GITHUB_LEAKS_PATH } from "../../tools/protoc-gen-openapi/github-leaks.ts";
import { IDENTITY_CLAIMS_PATH } from "../../tools/protoc-gen-openapi/identity-claims.ts";
import { OAUTH_TOKEN_PATH } from "../../tools/protoc-gen-openapi/oauth-token.ts";
import { pathOf } from "../../tools/protoc-gen-openapi/operation.ts";
import { OPEN_RPCS, RPCS } from "../harness/rpcs.ts";
import { projectFiles } from "./compile.ts";

// biome-ignore lint/suspicious/noExplicitAny: the assertions are the check
const document: Record<string, any> = openapi;

interface Schema {
  readonly properties?: Readonly<Record<string, { readonly items: { readonly $ref?: string } }>>;
}

test("the committed document is generated from the protos", async () => {
  const services = (await projectFiles()).flatMap((file) => file.services);
  expect(buildDocument(services)).toEqual(openapi);
});

describe("every RPC", () => {
  test("with a path is in the document, by its path and its procedure", async () => {
    const methods = (await projectFiles())
      .flatMap((file) => file.services.flatMap((service) => service.methods))
      .filter((method) => hasOption(method, http));
    expect(Object.keys(document.paths).sort()).toEqual(
      [...methods.map(pathOf), AUTH_CHECK_PATH, IDENTITY_CLAIMS_PATH, GITHUB_LEAKS_PATH, OAUTH_TOKEN_PATH].sort(),
    );
    for (const method of methods) {
      const { description } = document.paths[pathOf(method) ?? ""].post;
      expect(description).toContain(`/${method.parent.typeName}/${method.name}`);
    }
    expect(methods).toHaveLength(RPCS.length + OPEN_RPCS.length);
  });

  test.each(RPCS)("says who may call $path", ({ path, callers, scope, userScope, tokens }) => {
    const { security, description } = document.paths[path].post;
    const list = (name: string | undefined) => (name === undefined ? [] : [name]);
    const isForOperator = callers === "operator" || path === "/api/v1/scopes/list";
    expect(security).toEqual([
      ...(callers === "key" ? [] : [{ DashboardJwt: list(userScope) }]),
      ...(["anyone", "backend", "key"].includes(callers) ? [{ SecretKey: list(scope) }] : []),
      ...(tokens ? [{ AccessToken: list(scope) }] : []),
      ...(callers === "anyone" ? [{ PublishableKey: list(scope), UserJwt: [] }] : []),
      ...(isForOperator ? [{ OperatorToken: [] }] : []),
    ]);
    const note = /A dashboard user needs (?:a tenant(?: and )?)?(?:the scope `([^`]+)`)?\./.exec(description);
    expect(note?.[1]).toBe(userScope);
  });

  test.each(OPEN_RPCS)("says that anyone may call $path", ({ path }) => {
    expect(document.paths[path].post.security).toEqual([]);
  });

  test.each(Object.keys(document.paths).filter((path) => path !== AUTH_CHECK_PATH))(
    "%s has examples of its request and its answer that match the schema",
    (path) => {
      const ajv = new Ajv2020({ strict: false, formats: { "date-time": true, int32: true } }).addSchema(
        document,
        "doc",
      );
      const { post } = document.paths[path];
      const at = `doc#/paths/${path.replaceAll("/", "~1")}/post`;
      const contents = [
        [`${at}/requestBody`, post.requestBody],
        [`${at}/responses/200`, post.responses[200]],
      ];
      for (const [pointer, { content }] of contents) {
        const [type = ""] = Object.keys(content);
        const { example, examples = { example: { value: example } } } = content[type];
        const validate = ajv.compile({ $ref: `${pointer}/content/${type.replaceAll("/", "~1")}/schema` });
        for (const { value } of Object.values<{ value: unknown }>(examples)) {
          expect(value).toBeTypeOf("object");
          expect([validate(value), validate.errors]).toEqual([true, null]);
        }
      }
    },
  );

  test("that creates a key has an example of each type of key", () => {
    const { requestBody } = document.paths["/api/v1/api-keys/create"].post;
    const types = Object.values<{ value: { keyType?: string } }>(requestBody.content["application/json"].examples);
    expect(types.map(({ value }) => value.keyType)).toEqual([undefined, undefined, "KEY_TYPE_PUBLISHABLE"]);
  });

  test("that takes or returns permissions lists the scopes, and leaves room for others", () => {
    const { Permission, ...schemas } = document.components.schemas;
    const { scopes } = createCatalogue();
    expect(Permission["x-extensible-enum"]).toEqual(
      expect.arrayContaining([...scopes.map(({ name }) => name), "conversations:*", "*"]),
    );
    expect(Permission).not.toHaveProperty("enum");
    for (const { name, description } of scopes) expect(Permission.description).toContain(`\`${name}\`: ${description}`);
    const members = Object.entries(schemas).filter(([, schema]) => (schema as Schema).properties?.permissions);
    expect(members.map(([name]) => name).sort()).toEqual([
      "ApiKey",
      "CreateApiKeyRequest",
      "CreateTenantKeyRequest",
      "ImportedRow",
      "KeyPolicy",
      "KeyPolicyInput",
      "UpdateApiKeyRequest",
      "UpdateTenantKeyRequest",
      "VerifyResponse",
    ]);
    for (const [name, schema] of members)
      expect([name, (schema as Schema).properties?.permissions?.items.$ref]).toEqual([
        name,
        "#/components/schemas/Permission",
      ]);
  });

  test.each(Object.keys(PARTS))("an example of %s in an answer matches the schema", (name) => {
    const ajv = new Ajv2020({ strict: false, formats: { "date-time": true, int32: true } }).addSchema(document, "doc");
    const validate = ajv.compile({ $ref: `doc#/components/schemas/${name}` });
    const [example] = document.components.schemas[name].examples;
    expect([validate(example), validate.errors]).toEqual([true, null]);
    expect(Object.keys(example)).toEqual(Object.keys(document.components.schemas[name].properties));
  });

  test("has a unique identifier", () => {
    const operations = Object.values<Record<string, { operationId: string }>>(document.paths).flatMap(Object.values);
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe("JSON names", () => {
  const names = (schema: string): string[] => Object.keys(document.components.schemas[schema].properties);

  // threat: B11
  test("are exactly those of the contract, in their mixed case", () => {
    expect(names("CreateApiKeyRequest")).toEqual([
      "name",
      "description",
      "keyType",
      "permissions",
      "rate_limit",
      "expires_at",
      "publishableConfig",
      "metadata",
      "external_id",
      "allowed_ips",
      "allowed_origins",
      "allow_browser",
      "client_request_id",
      "secret_hash",
      "key_prefix",
    ]);
    expect(names("OidcConfigInput")).toEqual([
      "issuer",
      "jwksUrl",
      "audience",
      "userIdClaim",
      "requiredClaims",
      "audienceClaim",
      "authorizedParties",
      "tokenType",
      "claimRules",
      "userIdPrefix",
    ]);
    for (const member of ["allowed_ips", "allowed_origins"]) {
      const lists = [document.components.schemas.CreateApiKeyRequest, document.components.schemas.ApiKey];
      for (const { properties } of lists)
        expect(properties[member]).toMatchObject({ type: "array", items: { type: "string" } });
    }
    const caps = ["requests_per_minute", "requests_per_hour", "burst_size"];
    expect(names("RateLimitInput")).toEqual([...caps, "per_user", "warning", "unlimited"]);
    expect(names("UserRateLimitInput")).toEqual(caps);
    expect(names("CreateTenantKeyRequest")).toEqual(["tenant_id", ...names("CreateApiKeyRequest")]);
    expect(names("FindKeysRequest")).toEqual(["key_id", "key_prefix", "key", "page", "per_page", "page_token"]);
    expect(names("Tenant")).toEqual(["tenant_id", "name", "key_count", "suspended_at", "suspension_reason"]);
    expect(document.components.schemas.Tenant.required).not.toContain("suspended_at");
    expect(names("Scope")).toEqual(["name", "description", "publishable"]);
    expect(names("Pagination")).toEqual(["total", "page", "per_page", "total_pages"]);
    expect(names("IssuedKey")).toEqual(["key_id", "key", "key_prefix", "already_created"]);
    expect(names("ApiKeyUsage")).toEqual(["total_verifications", "successful_verifications", "failed_verifications"]);
    expect(names("SendMessageResponse")).toContain("runId");
    expect(names("Error")).toEqual(["code", "reason", "field", "message", "details", "denial_reason", "rate_limit"]);
  });

  test("have the contract's types: an integer is a number", () => {
    const { ApiKeyUsage, RotateApiKeyRequest } = document.components.schemas;
    expect(ApiKeyUsage.properties.total_verifications.type).toBe("integer");
    expect(RotateApiKeyRequest.properties.grace_period_hours).toMatchObject({
      type: "integer",
      minimum: 0,
      maximum: 720,
    });
  });
});

describe("errors", () => {
  // biome-ignore lint/suspicious/noExplicitAny: the assertions are the check
  const all: [string, any][] = Object.entries(document.components.responses);
  const responses = all.filter(([name]) => !name.startsWith("Check")).map(([, response]) => response);

  test("have each reason once, at its status, and an example with one", () => {
    const documented = responses.flatMap((response) => response["x-reasons"]);
    expect(documented.sort()).toEqual([...Object.keys(DENIALS), ...Object.keys(ERROR_REASONS)].sort());
    for (const response of responses) {
      const { example } = response.content["application/json"];
      expect(response["x-reasons"]).toContain(example.reason);
      expect(response["x-codes"]).toContain(example.code);
      for (const reason of response["x-reasons"]) expect(response.description).toContain(`\`${reason}\``);
    }
  });

  test("have a reference alone as their schema, which openapi-generator needs", () => {
    for (const [, response] of all)
      expect(response.content["application/json"].schema).toEqual({ $ref: "#/components/schemas/Error" });
  });

  test("of every fault of the transport are documented", () => {
    const documented = Object.values(document.paths).flatMap((item) =>
      Object.keys((item as { post: { responses: object } }).post.responses),
    );
    // Only gRPC reflection streams in both directions, and it is not one of these operations.
    const { needs_http2: _, ...faults } = TRANSPORT_FAULTS;
    for (const { status } of Object.values(faults)) expect(documented).toContain(String(status));
  });

  test("with an answer that a retry can help document Retry-After", () => {
    const { TooManyRequests, ServiceUnavailable, InternalServerError } = document.components.responses;
    expect(ServiceUnavailable.headers["Retry-After"]).toEqual({ $ref: "#/components/headers/Retry-After" });
    expect(document.components.headers["Retry-After"]).toMatchObject({ required: true, schema: { minimum: 1 } });
    // Absent for a cost above the limit, and there for one reason alone.
    expect(TooManyRequests.headers["Retry-After"]).toMatchObject({ required: false, schema: { minimum: 1 } });
    expect(InternalServerError.headers["Retry-After"]).toMatchObject({ required: false, schema: { minimum: 1 } });
  });
});
