// promise: json.present
import { beforeAll, describe, expect, test } from "vitest";
import { AUTH_CHECK_PATH } from "../../tools/protoc-gen-openapi/auth-check.ts";
import { buildDocument } from "../../tools/protoc-gen-openapi/document.ts";
import { GITHUB_LEAKS_PATH } from "../../tools/protoc-gen-openapi/github-leaks.ts";
import { IDENTITY_CLAIMS_PATH } from "../../tools/protoc-gen-openapi/identity-claims.ts";
import type { JsonObject } from "../../tools/protoc-gen-openapi/json.ts";
import { OAUTH_TOKEN_PATH } from "../../tools/protoc-gen-openapi/oauth-token.ts";
import { compile } from "./compile.ts";

// biome-ignore lint/suspicious/noExplicitAny: the assertions are the check
type Document = Record<string, any>;

const SMALL = `
// ThingService keeps things.
service ThingService {
  // MakeThing makes a \`thing\`. It takes a moment.
  //
  // Second paragraph,
  // on two lines.
  rpc MakeThing(MakeThingRequest) returns (MakeThingResponse) {
    option (google.api.http) = { post: "/api/v1/things/make" body: "*" };
    option (latchkey.v1.policy) = {
      callers: [CALLER_DASHBOARD_USER, CALLER_SECRET_KEY, CALLER_PUBLISHABLE_KEY]
      scope: "plans:write"
      no_store: true
    };
    option (latchkey.v1.statuses) = 404;
  }
  // FindThing is lenient.
  rpc FindThing(FindThingRequest) returns (MakeThingResponse) {
    option deprecated = true;
    option (google.api.http) = { post: "/api/v1/things/find" body: "*" };
    option (latchkey.v1.policy) = {
      callers: [CALLER_DASHBOARD_USER, CALLER_OPERATOR]
      ignore_unknown_members: true
      user_scope: "plans:read"
    };
  }
  // Hidden has no path.
  rpc Hidden(FindThingRequest) returns (MakeThingResponse) {
    option (latchkey.v1.policy) = { callers: [CALLER_DASHBOARD_USER] };
  }
}
// Color is a color.
enum Color {
  // Never sent.
  COLOR_UNSPECIFIED = 0;
  // Like blood.
  COLOR_RED = 1;
  // Like grass.
  COLOR_GREEN = 2;
}
// Part is used both ways.
message Part {
  // Its size.
  int32 size_mm = 1 [json_name = "size_mm", (buf.validate.field).int32 = { gt: 0 lte: 9 }];
}
// MakeThingRequest describes a thing.
message MakeThingRequest {
  // Name.
  string name = 1 [(buf.validate.field).string = { min_len: 1 max_len: 5 pattern: "^a" }];
  // Link.
  string link_url = 2 [json_name = "linkUrl", (latchkey.v1.json_member).required = true];
  // Tags.
  repeated string tags = 3 [(buf.validate.field).repeated = { min_items: 1 max_items: 2 unique: true items: { string: { max_len: 7 } } }];
  // Labels.
  map<string, string> labels = 4 [(buf.validate.field).map.max_pairs = 3];
  // Only red.
  Color color = 5 [(buf.validate.field).enum.const = 1];
  // Any color.
  Color other = 6 [(buf.validate.field).enum.defined_only = true];
  // Main part.
  Part part = 7 [(buf.validate.field).required = true];
  // When.
  google.protobuf.Timestamp due_at = 8 [json_name = "due_at"];
  // How many.
  optional int32 count = 9 [(buf.validate.field).int32 = { gte: 0 lt: 4 }];
}
// MakeThingResponse is a thing.
message MakeThingResponse {
  // Parts.
  repeated Part parts = 1 [(buf.validate.field).repeated.max_items = 2];
  // Main part.
  Part main = 2;
  // When it went.
  google.protobuf.Timestamp gone_at = 3 [json_name = "gone_at", (latchkey.v1.json_member).absent = true];
  // Its successor.
  optional string next_id = 4 [json_name = "next_id"];
  // How often.
  double uses = 5 [(latchkey.v1.json_member).integer = true];
  // Share.
  double share = 6;
  // Whether.
  bool fine = 7 [deprecated = true];
  // Spare ones.
  google.protobuf.ListValue spare = 8 [(latchkey.v1.json_member).absent = true, (latchkey.v1.json_member).items = "Part"];
  // Whatever.
  google.protobuf.ListValue any = 9 [(latchkey.v1.json_member).absent = true];
}
// FindThingRequest is empty.
message FindThingRequest {}
`;

let document: Document;

beforeAll(async () => {
  document = buildDocument((await compile(SMALL)).services);
});

describe("a request's schema", () => {
  test("has the JSON names, the limits of the rules and the required members, and rejects others", () => {
    expect(document.components.schemas.MakeThingRequest).toEqual({
      type: "object",
      description: "Describes a thing.",
      properties: {
        name: { type: "string", description: "Name.", minLength: 1, maxLength: 5, pattern: "^a" },
        linkUrl: { type: "string", description: "Link." },
        tags: {
          type: "array",
          description: "Tags.",
          items: { type: "string", maxLength: 7 },
          minItems: 1,
          maxItems: 2,
          uniqueItems: true,
        },
        labels: {
          type: "object",
          description: "Labels.",
          additionalProperties: { type: "string" },
          maxProperties: 3,
        },
        color: { type: "string", description: "Only red.", enum: ["COLOR_RED"] },
        other: { $ref: "#/components/schemas/Color", description: "Any color." },
        part: { $ref: "#/components/schemas/PartInput", description: "Main part." },
        due_at: { type: "string", format: "date-time", description: "When." },
        count: { type: "integer", format: "int32", description: "How many.", minimum: 0, exclusiveMaximum: 4 },
      },
      required: ["name", "linkUrl", "tags", "color", "part"],
      additionalProperties: false,
    });
  });

  test("is open if unknown members are ignored", () => {
    expect(document.components.schemas.FindThingRequest.additionalProperties).toBe(true);
  });
});

describe("an answer's schema", () => {
  test("requires the members that are always there, and limits and closes nothing", () => {
    expect(document.components.schemas.MakeThingResponse).toEqual({
      type: "object",
      description: "A thing.",
      properties: {
        parts: { type: "array", description: "Parts.", items: { $ref: "#/components/schemas/Part" } },
        main: { $ref: "#/components/schemas/Part", description: "Main part." },
        gone_at: { type: "string", format: "date-time", description: "When it went." },
        next_id: { type: "string", description: "Its successor." },
        uses: { type: "integer", description: "How often." },
        share: { type: "number", description: "Share." },
        fine: { type: "boolean", description: "Whether.", deprecated: true },
        spare: { type: "array", description: "Spare ones.", items: { $ref: "#/components/schemas/Part" } },
        any: { type: "array", description: "Whatever.", items: {} },
      },
      required: ["parts", "main", "uses", "share", "fine"],
    });
  });

  test("is separate from the request's if both use one message", () => {
    const { Part, PartInput } = document.components.schemas;
    expect(Part.properties.size_mm).toEqual({ type: "integer", format: "int32", description: "Its size." });
    expect(PartInput.properties.size_mm).toMatchObject({ exclusiveMinimum: 0, maximum: 9 });
    expect([Part.required, PartInput.required]).toEqual([["size_mm"], undefined]);
  });

  test("has the meaningful values of an enum, with their meaning", () => {
    expect(document.components.schemas.Color).toEqual({
      type: "string",
      description: "A color.\n\n- `COLOR_RED`: Like blood.\n- `COLOR_GREEN`: Like grass.",
      enum: ["COLOR_RED", "COLOR_GREEN"],
    });
  });
});

describe("an operation", () => {
  test("exists for each RPC with a path and for the other paths of calls, and for no other", () => {
    expect(Object.keys(document.paths)).toEqual([
      "/api/v1/things/make",
      "/api/v1/things/find",
      AUTH_CHECK_PATH,
      IDENTITY_CLAIMS_PATH,
      GITHUB_LEAKS_PATH,
      OAUTH_TOKEN_PATH,
    ]);
  });

  test("says who may call, with which scope, and whether it is deprecated", () => {
    const { post } = document.paths["/api/v1/things/make"];
    expect(post.security).toEqual([
      { DashboardJwt: [] },
      { SecretKey: ["plans:write"] },
      { PublishableKey: ["plans:write"], UserJwt: [] },
    ]);
    expect(post["x-required-scope"]).toBe("plans:write");
    expect(post).not.toHaveProperty("deprecated");
    const found = document.paths["/api/v1/things/find"].post;
    expect(found.deprecated).toBe(true);
    expect(found.security).toEqual([{ DashboardJwt: ["plans:read"] }, { OperatorToken: [] }]);
    expect(found["x-required-user-scope"]).toBe("plans:read");
    expect(found.description).toContain("A dashboard user needs a tenant and the scope `plans:read`.");
    for (const name of ["DashboardJwt", "OperatorToken"]) {
      expect(document.components.securitySchemes[name]).toMatchObject({ type: "http", scheme: "bearer" });
    }
  });

  test("takes X-On-Behalf-Of only if secret keys may call", () => {
    const refs = (path: string): string[] =>
      document.paths[path].post.parameters.map(({ $ref }: { $ref: string }) => $ref.split("/").at(-1));
    expect(refs("/api/v1/things/make")).toEqual(["OnBehalfOf", "RequestId"]);
    expect(refs("/api/v1/things/find")).toEqual(["RequestId"]);
  });

  test("has its comment as plain summary and as description", () => {
    const { post } = document.paths["/api/v1/things/make"];
    expect(post.summary).toBe("Makes a thing");
    expect(post.description).toMatch(/^Makes a `thing`\. It takes a moment\.\n\nSecond paragraph, on two lines\.\n\n/);
  });

  test("has every common status, and those that it declares", () => {
    const common = "200 400 401 403 405 408 413 415 417 429 431 500 503 504 505";
    expect(Object.keys(document.paths["/api/v1/things/find"].post.responses).join(" ")).toBe(common);
    expect(Object.keys(document.paths["/api/v1/things/make"].post.responses).join(" ")).toBe(
      common.replace("403", "403 404"),
    );
  });

  test("has the headers of its answer: the limit's if keys may call, no-store if it contains a secret", () => {
    const headers = (path: string): string[] => Object.keys(document.paths[path].post.responses[200].headers);
    const limit = ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"];
    expect(headers("/api/v1/things/make")).toEqual(["X-Request-Id", ...limit, "Cache-Control"]);
    expect(headers("/api/v1/things/find")).toEqual(["X-Request-Id"]);
  });
});

describe("the generator fails instead of writing half a document", () => {
  const HTTP = 'option (google.api.http) = { post: "/api/v1/x" body: "*" };';
  const POLICY = "option (latchkey.v1.policy) = { callers: [CALLER_DASHBOARD_USER] };";
  const service = (options: string, fields: string): string =>
    `service XService { rpc X(XRequest) returns (XResponse) { ${options} } } message XRequest { ${fields} } message XResponse {}`;
  const documentOf = async (body: string): Promise<JsonObject> => buildDocument((await compile(body)).services);

  test.each([
    ["an RPC without a policy", service(HTTP, ""), "small.v1.XService/X declares no (latchkey.v1.policy)"],
    ["a GET", service(`option (google.api.http) = { get: "/api/v1/x" }; ${POLICY}`, ""), "is no post"],
    ["an int64", service(HTTP + POLICY, "int64 n = 1;"), "small.v1.XRequest.n has the type INT64"],
    ["a oneof", service(HTTP + POLICY, "oneof o { string a = 1; string b = 2; }"), "small.v1.XRequest has a oneof"],
    ["a status without a description", service(`${HTTP}${POLICY}option (latchkey.v1.statuses) = 418;`, ""), "418"],
    [
      "a message named like a schema of the errors",
      `${service(HTTP + POLICY, "Error e = 1;")} message Error {}`,
      "two of the schema Error",
    ],
  ])("%s", async (_what, body, message) => {
    await expect(documentOf(body)).rejects.toThrow(message);
  });
});
