// promise: errors.form
import { type Client, ConnectError, createClient, type Interceptor } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { describe, expect, test } from "vitest";
import { fieldOf, reasonOf } from "../../clients/typescript/src/index.ts";
import { KeyType } from "../../gen/latchkey/v1/api_key_pb.ts";
import { ApiKeyService } from "../../gen/latchkey/v1/api_key_service_pb.ts";
import { PUBLISHABLE } from "../harness/key-management.ts";
import { newTenant } from "../harness/latchkey.ts";
import { sharedWithRoles } from "../harness/roles.ts";

const latchkey = await sharedWithRoles();
const baseUrl = latchkey.url;

const TRANSPORTS = {
  "Connect in JSON": (interceptors: Interceptor[]) =>
    createConnectTransport({ baseUrl, httpVersion: "1.1", useBinaryFormat: false, interceptors }),
  "Connect in binary": (interceptors: Interceptor[]) =>
    createConnectTransport({ baseUrl, httpVersion: "1.1", useBinaryFormat: true, interceptors }),
  "Connect with a timeout": (interceptors: Interceptor[]) =>
    createConnectTransport({ baseUrl, httpVersion: "1.1", defaultTimeoutMs: 60_000, interceptors }),
  gRPC: (interceptors: Interceptor[]) => createGrpcTransport({ baseUrl, interceptors }),
  "gRPC-Web": (interceptors: Interceptor[]) => createGrpcWebTransport({ baseUrl, httpVersion: "2", interceptors }),
};

type ApiKeys = Client<typeof ApiKeyService>;
const NEW = { name: "a key", permissions: ["plans:read"] };

const ERRORS: readonly [reason: string, field: string | undefined, fail: (keys: ApiKeys) => Promise<unknown>][] = [
  ["required", "name", (keys) => keys.createApiKey({ ...NEW, name: "" })],
  ["invalid_value", "rate_limit.burst_size", (keys) => keys.createApiKey({ ...NEW, rateLimit: { burstSize: -1 } })],
  [
    "unknown_scope",
    "permissions[1]",
    (keys) => keys.createApiKey({ ...NEW, permissions: ["plans:read", "plans:reed"] }),
  ],
  ["invalid_update_mask", "update_mask", (keys) => keys.updateApiKey({ keyId: "key_1", updateMask: "nothing" })],
  ["key_not_found", "key_id", (keys) => keys.getApiKey({ keyId: "key_none" })],
  [
    "publishable_key_not_rotatable",
    "key_id",
    async (keys) => {
      const keyType = KeyType.PUBLISHABLE;
      const { result } = await keys.createApiKey({ ...NEW, permissions: ["conversations:read"], keyType });
      await keys.rotateApiKey({ keyId: result?.keyId ?? "" });
    },
  ],
  [
    "key_already_rotated",
    "key_id",
    async (keys) => {
      const keyId = (await keys.createApiKey(NEW)).result?.keyId ?? "";
      await keys.rotateApiKey({ keyId });
      await keys.rotateApiKey({ keyId });
    },
  ],
  [
    "key_revoked",
    "key_id",
    async (keys) => {
      const keyId = (await keys.createApiKey(NEW)).result?.keyId ?? "";
      await keys.revokeApiKey({ keyId });
      await keys.rotateApiKey({ keyId });
    },
  ],
];

describe.each(Object.entries(TRANSPORTS))("over %s", (_protocol, transport) => {
  async function errorOf(fail: (keys: ApiKeys) => Promise<unknown>): Promise<unknown> {
    const owner = await latchkey.user("owner", newTenant());
    const signIn: Interceptor = (next) => (req) => {
      for (const [name, value] of Object.entries(owner)) req.header.set(name, value);
      return next(req);
    };
    return fail(createClient(ApiKeyService, transport([signIn]))).then(
      () => undefined,
      (err: unknown) => err,
    );
  }

  test.each(ERRORS)("%s is a typed detail, with the member %s", async (reason, field, fail) => {
    const err = await errorOf(fail);
    expect({ reason: reasonOf(err), field: fieldOf(err) }).toEqual({ reason, field });
    expect(ConnectError.from(err).rawMessage.startsWith(`${field}: `)).toBe(true);
  });

  test("a denial's are in its own detail", async () => {
    const err = await errorOf((keys) => keys.createApiKey({ ...NEW, permissions: ["plans:read", "tenants:read"] }));
    expect({ reason: reasonOf(err), field: fieldOf(err) }).toEqual({
      reason: "insufficient_scope",
      field: "permissions[1]",
    });
  });
});

test("an error in JSON has its reason and field beside the code", async () => {
  const owner = await latchkey.user("owner", newTenant());
  const { key_id } = (
    await latchkey.call(
      "/api/v1/api-keys/create",
      { ...NEW, permissions: ["conversations:read"], ...PUBLISHABLE },
      owner,
    )
  ).json.result;
  expect((await latchkey.call("/api/v1/api-keys/rotate", { key_id }, owner)).json).toMatchObject({
    code: "failed_precondition",
    reason: "publishable_key_not_rotatable",
    field: "key_id",
  });
});

test("an error of another than the service has no reason", () => {
  for (const err of [new Error("key_not_found"), undefined, new ConnectError("key_not_found")]) {
    expect(reasonOf(err)).toBeUndefined();
    expect(fieldOf(err)).toBeUndefined();
  }
});
