import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { describe, expect, test } from "vitest";
import { KeyStatus } from "../../gen/latchkey/v1/api_key_pb.ts";
import { ApiKeyService } from "../../gen/latchkey/v1/api_key_service_pb.ts";
import { DenialReason, DenialSchema } from "../../gen/latchkey/v1/denial_pb.ts";
import { GatewayService } from "../../gen/latchkey/v1/gateway_service_pb.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";

const latchkey = await sharedLatchkey();

describe.each([
  ["binary", true],
  ["JSON", false],
])("a generated client that speaks Connect in %s", (_format, useBinaryFormat) => {
  const clients = () => {
    const transport = createConnectTransport({ baseUrl: latchkey.url, httpVersion: "1.1", useBinaryFormat });
    return { keys: createClient(ApiKeyService, transport), gateway: createClient(GatewayService, transport) };
  };

  test("creates, uses and revokes a key", async () => {
    const { keys, gateway } = clients();
    const headers = await latchkey.dashboard();
    const { result } = await keys.createApiKey({ name: "k", permissions: ["conversations:read"] }, { headers });
    const withKey = { headers: { "x-api-key": result?.key ?? "" } };
    expect((await gateway.listThreads({}, withKey)).pagination?.total).toBe(0);
    const revoked = await keys.revokeApiKey({ keyId: result?.keyId ?? "" }, { headers });
    expect(revoked.result?.status).toBe(KeyStatus.REVOKED);
    const denial = await gateway.listThreads({}, withKey).catch(ConnectError.from);
    if (!(denial instanceof ConnectError)) throw new Error("a revoked key was accepted");
    expect(denial.code).toBe(Code.Unauthenticated);
    expect(denial.findDetails(DenialSchema)[0]?.reason).toBe(DenialReason.API_KEY_REVOKED);
  });
});
