import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { DenialReason, DenialSchema } from "../../gen/latchkey/v1/denial_pb.ts";
import { SendMessageRequestSchema } from "../../gen/latchkey/v1/gateway_service_pb.ts";
import { callGrpcWeb, type GrpcWebAnswer } from "../harness/grpc-web.ts";
import { dashboardOf } from "../harness/key-management.ts";
import { sharedPublishable } from "../harness/publishable.ts";
import { USER_MESSAGE } from "../harness/rpcs.ts";

type Headers = Record<string, string>;

const PATH = "/latchkey.v1.GatewayService/SendMessage";
/** Without a deadline, and with one. */
const PATHS: readonly Headers[] = [{}, { "connect-timeout-ms": "60000" }];
const UNKNOWN_VERSION = { "connect-protocol-version": "2" };

const json = (conversationKey: string): Buffer => Buffer.from(JSON.stringify({ conversation_key: conversationKey }));
const binary = (conversationKey: string): Uint8Array =>
  toBinary(SendMessageRequestSchema, create(SendMessageRequestSchema, { conversationKey }));

/**
 * Bodies in each format: one that is no message, one that cannot be stored, and one that breaks a rule of the proto, as
 * the second does too: `user_message` is absent.
 */
const FORMATS = [
  { type: "application/json", broken: Buffer.from("{"), unstorable: json("\0"), invalid: json("c") },
  { type: "application/proto", broken: Buffer.from("\n"), unstorable: binary("\0"), invalid: binary("c") },
] as const;

function reasonOf(error: GrpcWebAnswer["error"]): string | undefined {
  const denial = error?.details?.find(({ type }) => type === DenialSchema.typeName);
  if (denial === undefined) return undefined;
  const { reason } = fromBinary(DenialSchema, Buffer.from(denial.value, "base64"));
  const [name] = Object.entries(DenialReason).find(([, number]) => number === reason) ?? [];
  return name?.toLowerCase();
}

// threat: P14
test.each(FORMATS)(
  "a call in $type that violates every rule is rejected for the first, then for the next",
  async (bodies) => {
    const service = await sharedPublishable();
    const fields = { permissions: ["plans:read"], rate_limit: { requests_per_minute: 1 } };
    const app = await service.newApp({ fields });
    const dashboard = dashboardOf(service.latchkey, app.tenant);
    const revoked = await service.newApp();
    await dashboardOf(service.latchkey, revoked.tenant).result("revoke", { key_id: revoked.keyId });
    // A call has all of these faults until a step removes one.
    const faults = { "x-on-behalf-of": "", ...UNKNOWN_VERSION };

    async function expectFault(expected: string | RegExp, headers: Headers, body: Uint8Array = bodies.broken) {
      for (const more of PATHS) {
        const response = await fetch(service.latchkey.url + PATH, {
          method: "POST",
          headers: { "content-type": bodies.type, ...headers, ...more },
          body: Buffer.from(body),
        });
        const answer = (await response.json()) as { denial_reason?: string; message: string };
        if (typeof expected === "string") expect(answer.denial_reason).toBe(expected);
        else expect(answer.message).toMatch(expected);
      }
      // Through Connect's handler, where another header says how a call is served.
      const { "connect-protocol-version": version, ...others } = headers;
      const format = bodies.type === "application/json" ? "json" : "proto";
      const sent = version === undefined ? others : { ...others, "grpc-timeout": "x" };
      const { error } = await callGrpcWeb(service.latchkey.url, PATH, format, body, sent);
      if (typeof expected === "string") expect(reasonOf(error)).toBe(expected);
      else expect(error?.message?.replace("grpc-timeout", "Connect-Protocol-Version")).toMatch(expected);
    }

    await expectFault("missing_credentials", faults);
    await expectFault("api_key_revoked", { ...faults, ...revoked.headers("x") });
    await expectFault("jwt_malformed", { ...faults, ...app.headers("x") });
    // A call that is denied for its scope has spent the one request.
    await service.latchkey.call("/api/v1/llm/gateway/send-message", { user_message: USER_MESSAGE }, app.headers());
    await expectFault("rate_limited", { ...faults, ...app.headers() });
    await dashboard.result("update", {
      key_id: app.keyId,
      rate_limit: { requests_per_minute: 1_000 },
      update_mask: "rate_limit",
    });
    await expectFault("insufficient_scope", { ...faults, ...app.headers() });
    await dashboard.result("update", {
      key_id: app.keyId,
      permissions: ["conversations:write"],
      update_mask: "permissions",
    });
    await expectFault(/^Connect-Protocol-Version: /, { ...UNKNOWN_VERSION, ...app.headers() });
    await expectFault(/^body: /, app.headers());
    await expectFault(/^conversation_key: .*NUL/, app.headers(), bodies.unstorable);
    await expectFault(/^user_message: is required/, app.headers(), bodies.invalid);
  },
);
