import { create, type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import {
  FieldDescriptorProtoSchema,
  ListValueSchema,
  StructSchema,
  type Value,
  ValueSchema,
} from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { checkInput } from "../../clients/typescript/src/checked-input.ts";
import {
  ApiKeySchema,
  ApiKeyService,
  AuthService,
  Code,
  ConnectError,
  createLatchkeyClient,
  GatewayService,
  jsonList,
  KeyPolicyService,
  KeyType,
  type LatchkeyClient,
  LeakService,
  OperatorService,
  OrgService,
  ScopeService,
  timestampFromDate,
  UsageService,
} from "../../clients/typescript/src/index.ts";
import { ok, type ScriptedService, startScriptedService } from "./scripted-service.ts";

const SERVICES = {
  apiKeys: ApiKeyService,
  auth: AuthService,
  gateway: GatewayService,
  keyPolicies: KeyPolicyService,
  leaks: LeakService,
  orgs: OrgService,
  scopes: ScopeService,
  usage: UsageService,
  operator: OperatorService,
};

let service: ScriptedService;
let client: LatchkeyClient;
let tokensAsked = 0;

beforeAll(async () => {
  service = await startScriptedService();
  const getUserToken = (): string => {
    tokensAsked += 1;
    return "t";
  };
  client = createLatchkeyClient({ baseUrl: service.url, getUserToken });
});

beforeEach(() => {
  service.play(ok());
  tokensAsked = 0;
});

afterAll(() => service.close());

/** Makes a call as plain JavaScript does, without types. */
function call(rpc: string, ...args: unknown[]): Promise<unknown> {
  const [of = "", method = ""] = rpc.split(".");
  return Reflect.apply(Reflect.get(Reflect.get(client, of), method), undefined, args);
}

/** The call must fail with the words, before anything is sent or a token is requested. */
async function expectRefused(made: Promise<unknown>, words: string | RegExp): Promise<void> {
  const err = await made.catch((err: unknown) => err);
  expect(err).toBeInstanceOf(ConnectError);
  expect(err).toMatchObject({ code: Code.InvalidArgument });
  expect(err).toHaveProperty("rawMessage", typeof words === "string" ? words : expect.stringMatching(words));
  expect([service.received.length, tokensAsked]).toEqual([0, 0]);
}

const RPCS = Object.entries(SERVICES).flatMap(([of, { methods }]) =>
  methods.map(({ localName, input }) => [`${of}.${localName}`, input] as const),
);

/** Some value of a field, with the member added to the message at the end of the path. */
function someValue(field: DescField, path: readonly string[], added: object): unknown {
  const one = (desc: DescField): unknown => {
    if (desc.message?.typeName === StructSchema.typeName) return { zzz: [1, "x", null, { a: true }] };
    if (desc.message?.typeName === ListValueSchema.typeName) return jsonList(["x", { claim: "a", equals: true }]);
    if (desc.message !== undefined) return messageOf(desc.message, path, added);
    if (desc.enum !== undefined) return desc.enum.values.at(-1)?.number;
    return desc.scalar === ScalarType.STRING ? "x" : desc.scalar === ScalarType.BOOL ? true : 1;
  };
  if (field.fieldKind === "list") return [one(field)];
  return field.fieldKind === "map" ? { rate_limit: one(field) } : one(field);
}

function messageOf(schema: DescMessage, [first, ...rest]: readonly string[], added: object): object {
  const members = schema.fields.map((field) => {
    const isOnPath = field.localName === first;
    return [field.localName, someValue(field, isOnPath ? rest : ["-"], added)] as const;
  });
  return { ...Object.fromEntries(members), ...(first === undefined && added) };
}

/** The way to each message in a message. */
function waysIn(schema: DescMessage): (readonly string[])[] {
  const inner = schema.fields.flatMap(({ message, localName }) =>
    message === undefined || [ListValueSchema, StructSchema].some(({ typeName }) => typeName === message.typeName)
      ? []
      : waysIn(message).map((way) => [localName, ...way]),
  );
  return [[], ...inner];
}

describe.each(RPCS)("%s", (rpc, input) => {
  test("is sent with every member of its schema", async () => {
    await call(rpc, messageOf(input, ["-"], {}));
    expect(service.received).toHaveLength(1);
  });

  test("rejects an unknown member in every message in it", async () => {
    for (const way of waysIn(input)) {
      await expectRefused(
        call(rpc, messageOf(input, way, { zzz: 0 })),
        /zzz: is unknown; this (request|object) takes /,
      );
      await expectRefused(call(rpc, messageOf(input, way, { zzz: null })), /zzz: is unknown/);
    }
  });

  test("rejects a value that is not a request", async () => {
    for (const given of ["x", 5, [], new Map([["name", "k"]]), true]) {
      await expectRefused(call(rpc, given), /^the request: must be an object, not (a|an|5)/);
    }
  });
});

const KEY = { name: "k", permissions: ["conversations:read"] };

describe("to create a key", () => {
  test.each<[object, string]>([
    [{ rate_limit: { requests_per_minute: 5 } }, 'rate_limit: is unknown; did you mean "rateLimit"?'],
    [
      { rateLimit: { requests_per_minute: 5 } },
      'rateLimit.requests_per_minute: is unknown; did you mean "requestsPerMinute"?',
    ],
    [{ expires_at: undefined, ttl: 5 }, 'ttl: is unknown; did you mean "expiresAt"?'],
    [{ issuer: "x" }, "issuer: is unknown here; it belongs into publishableConfig.oidc"],
    [{ jwks_url: "x" }, "jwks_url: is unknown here; it belongs into publishableConfig.oidc"],
    [
      { publishableConfig: { audience: "x" } },
      "publishableConfig.audience: is unknown here; it belongs into publishableConfig.oidc",
    ],
    [{ x: 1, ["y".repeat(1_000)]: 1 }, "x: is unknown; this request takes name, description, keyType, permissions, "],
  ])("the error about a misspelt member has a hint: %j", async (fields, message) => {
    await expectRefused(call("apiKeys.createApiKey", { ...KEY, ...fields }), new RegExp(`^${escaped(message)}`));
  });

  test.each<[object, string]>([
    [{ rateLimit: { requestsPerMinute: Number.NaN } }, "rateLimit.requestsPerMinute: must be of type int32, not NaN"],
    [{ rateLimit: { requestsPerMinute: "60" } }, "rateLimit.requestsPerMinute: must be of type int32, not a string"],
    [{ rateLimit: { requestsPerMinute: 1.5 } }, "rateLimit.requestsPerMinute: must be of type int32, not 1.5"],
    [{ rateLimit: new Map([["requestsPerMinute", 5]]) }, "rateLimit: must be an object, not a Map"],
    [{ rateLimit: 60 }, "rateLimit: must be an object, not 60"],
    [
      { publishableConfig: { oidc: { authorizedParties: ["web"] } } },
      "publishableConfig.oidc.authorizedParties: must be a ListValue, which jsonList makes of an array, not an Array",
    ],
    [
      { publishableConfig: { oidc: { requiredClaims: new Map([["team", "a"]]) } } },
      "publishableConfig.oidc.requiredClaims: must be an object, not a Map",
    ],
    [
      { publishableConfig: { oidc: { requiredClaims: { team: 5 } } } },
      "publishableConfig.oidc.requiredClaims.team: must be of type string, not 5",
    ],
    [
      { expiresAt: new Date(Number.NaN) },
      'expiresAt: must be a time: a Date, a text such as "2030-01-31T12:00:00Z", or a Timestamp, not a Date',
    ],
    [
      { expiresAt: "2030-01-01" },
      'expiresAt: must be a time: a Date, a text such as "2030-01-31T12:00:00Z", or a Timestamp, not a string',
    ],
    [{ metadata: "pro" }, "metadata: must be an object, not a string"],
    [{ metadata: new Map([["plan", "pro"]]) }, "metadata: must be an object, not a Map"],
    [{ metadata: { a: [1, undefined] } }, "metadata.a[1]: must be JSON, not undefined"],
    [{ metadata: { a: { b: new Date(0) } } }, "metadata.a.b: must be JSON, not a Date"],
    [{ metadata: { a: Number.NaN } }, "metadata.a: must be JSON, not NaN"],
    [{ permissions: "plans:read" }, "permissions: must be an array, not a string"],
    [{ permissions: new Set(["plans:read"]) }, "permissions: must be an array, not a Set"],
    [{ permissions: ["plans:read", undefined] }, "permissions[1]: must be of type string, not undefined"],
    [{ keyType: "KEY_TYPE_SECRET" }, "keyType: must be a value of KeyType, such as KeyType.SECRET, not a string"],
    [{ name: ["sk_hunter2"] }, "name: must be of type string, not an Array"],
    [{ name: "\ud800" }, "name: must not hold half of a surrogate pair, as a text that was cut does"],
  ])("a value of another type is rejected, and not repeated: %j", async (fields, message) => {
    await expectRefused(call("apiKeys.createApiKey", { ...KEY, ...fields }), message);
  });

  test("absent members, and a message created from its schema, are accepted", async () => {
    const expiresAt = timestampFromDate(new Date("2030-01-31T12:00:00Z"));
    const { rateLimit } = create(ApiKeySchema, { rateLimit: { burstSize: 5 } });
    const fields = { rateLimit, expiresAt, keyType: KeyType.SECRET, description: null, publishableConfig: undefined };
    await call("apiKeys.createApiKey", { ...KEY, ...fields, rate_limit: undefined });
    expect(service.received[0]?.body).toEqual({
      ...KEY,
      keyType: "KEY_TYPE_SECRET",
      rate_limit: { burst_size: 5 },
      expires_at: "2030-01-31T12:00:00Z",
      client_request_id: expect.stringMatching(/^[\da-f]{32}$/),
    });
    for (const absent of [undefined, null]) await call("apiKeys.listApiKeys", absent);
    expect(service.received).toHaveLength(3);
  });
});

describe("a call's options", () => {
  test.each<[unknown, string]>([
    [{ header: { "x-on-behalf-of": "anna" } }, 'header: is unknown; did you mean "headers"?'],
    [{ timeout: 5 }, 'timeout: is unknown; did you mean "timeoutMs"?'],
    ["x", "options must be an object, not a string"],
  ])("are rejected if misspelt: %j", async (options, message) => {
    await expectRefused(call("gateway.listThreads", {}, options), message);
  });
});

describe("a message that waits for its reply", () => {
  const MESSAGE = { conversationKey: "c", text: "Hi" };
  test.each<[unknown, unknown, string]>([
    [{ ...MESSAGE, client_message_id: "m1" }, {}, 'client_message_id: is unknown; did you mean "clientMessageId"?'],
    [
      { ...MESSAGE, threadId: "t" },
      {},
      "threadId: is unknown; this object takes conversationKey, text, clientMessageId",
    ],
    [MESSAGE, { timeoutMs: 5 }, "timeoutMs: is unknown; this object takes signal, headers"],
    [MESSAGE, { header: {} }, 'header: is unknown; did you mean "headers"?'],
    [{ ...MESSAGE, text: 5 }, {}, "text must be a string, or a list of them"],
    [{ conversationKey: "c" }, {}, "text must be a string, or a list of them"],
    [{ ...MESSAGE, conversationKey: 5 }, {}, "conversationKey: must be of type string, not 5"],
    ["Hi", {}, "the message must be an object, not a string"],
  ])("is rejected if misspelt: %j, %j", async (message, options, words) => {
    await expectRefused(Reflect.apply(client.sendAndWait, undefined, [message, options]), words);
  });
});

/** The schema of the API has neither yet. */
describe("one of several members, and a map of messages", () => {
  const problem = (schema: DescMessage, input: unknown): unknown => {
    try {
      return checkInput(schema, input);
    } catch (err) {
      return err instanceof ConnectError ? err.rawMessage : err;
    }
  };
  const list = (...values: unknown[]) => ({ kind: { case: "listValue", value: { values } } });

  test.each<[object, string | undefined]>([
    [{ kind: { case: "numberValue", value: 5 } }, undefined],
    [{ kind: { case: undefined } }, undefined],
    [create(ValueSchema, { kind: { case: "boolValue", value: true } }), undefined],
    [{ kind: { case: "numbrValue", value: 5 } }, 'kind.case: is unknown; did you mean "numberValue"?'],
    [{ kind: { case: "numberValue", valu: 5 } }, 'kind.valu: is unknown; did you mean "value"?'],
    [{ kind: { case: "numberValue", value: "5" } }, "kind.value: must be of type double, not a string"],
    [{ kind: 5 }, "kind: must be an object with case and value, not 5"],
    [{ numberValue: 5 }, "numberValue: is unknown; this request takes kind"],
    [list({ kind: { case: "boolValue", value: false } }), undefined],
    [list({}, { knd: {} }), 'kind.value.values[1].knd: is unknown; did you mean "kind"?'],
    [list(null), "kind.value.values[0]: must be an object, not null"],
  ])("%j", (input, message) => {
    expect(problem(ValueSchema, input)).toBe(message);
  });

  test("the keys of a map are free, the members of its messages are not", () => {
    const value = create(ValueSchema) satisfies Value;
    expect(problem(StructSchema, { fields: { rate_limit: value, "": {} } })).toBeUndefined();
    expect(problem(StructSchema, { fields: { a: { knd: 1 } } })).toBe('fields.a.knd: is unknown; did you mean "kind"?');
  });

  test("$typeName and $unknown of a message are not members", () => {
    const message = create(FieldDescriptorProtoSchema, { name: "f", options: { jstype: 1 } });
    expect(problem(FieldDescriptorProtoSchema, { ...message, $unknown: [] })).toBeUndefined();
  });
});

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
