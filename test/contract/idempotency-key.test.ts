// promise: repeat.header
import { fromBinary, fromJson, toBinary } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { ErrorInfoSchema, ErrorReason } from "../../gen/latchkey/v1/error_reason_pb.ts";
import { isChange } from "../../src/interceptors/idempotency-key.ts";
import { callGrpcWeb } from "../harness/grpc-web.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { rpcCallers } from "../harness/rpc-callers.ts";
import { OPEN_RPCS, RPCS } from "../harness/rpcs.ts";
import { SERVICES } from "../harness/services.ts";

const latchkey = await sharedLatchkey();
const callers = await rpcCallers(latchkey);
const METHODS = SERVICES.flatMap(({ methods }) => methods).filter(({ methodKind }) => methodKind === "unary");
const NAMED = { "idempotency-key": "deploy-7" };

/** What an RPC answers to a request with these headers on each way through the service; 0: no error with a reason. */
async function reasonsOf(method: (typeof METHODS)[number], headers: Record<string, string>): Promise<ErrorReason[]> {
  const { name, parent, input } = method;
  const rpc = [...RPCS, ...OPEN_RPCS].find(({ procedure }) => procedure === `/${parent.typeName}/${name}`);
  if (rpc === undefined) throw new Error(`${name} is not in RPCS`);
  const json = JSON.stringify(rpc.body("key_none"));
  const binary = toBinary(input, fromJson(input, rpc.body("key_none") as never));
  const sent = { ...callers.headersOf(name), ...headers };
  const lean = async (path: string, format: "json" | "proto") => {
    const body = format === "json" ? json : Buffer.from(binary);
    const response = await fetch(latchkey.url + path, {
      method: "POST",
      headers: { "content-type": `application/${format}`, ...sent },
      body,
    });
    return response.ok ? undefined : (JSON.parse(await response.text()) as Failure);
  };
  const failures = [
    await lean(rpc.path, "json"),
    await lean(rpc.procedure, "proto"),
    (await callGrpcWeb(latchkey.url, rpc.procedure, "json", json, sent)).error,
    (await callGrpcWeb(latchkey.url, rpc.procedure, "proto", binary, sent)).error,
  ];
  return failures.map((failure) => (failure === undefined ? 0 : reasonIn(failure)));
}

interface Failure {
  readonly details?: readonly { readonly type: string; readonly value: string }[];
}

function reasonIn({ details = [] }: Failure): ErrorReason {
  const info = details.find(({ type }) => type === ErrorInfoSchema.typeName);
  return info === undefined ? 0 : fromBinary(ErrorInfoSchema, Buffer.from(info.value, "base64")).reason;
}

describe("Idempotency-Key", () => {
  const isNamed = ({ input }: (typeof METHODS)[number]) =>
    input.fields.some((field) => field.name === "client_request_id");

  // threat: Q9
  test.each(
    METHODS.filter((method) => isChange(method) && !isNamed(method)).map((method) => [method.name, method] as const),
  )(
    "is refused for %s, which changes something and has no client_request_id, over every protocol",
    async (_, method) => {
      const reason = ErrorReason.IDEMPOTENCY_NOT_SUPPORTED;
      expect(await reasonsOf(method, NAMED)).toEqual([reason, reason, reason, reason]);
    },
  );

  test.each(METHODS.filter((method) => !isChange(method)).map((method) => [method.name, method] as const))(
    "is ignored for %s, which changes nothing",
    async (_, method) => {
      expect(await reasonsOf(method, NAMED)).toEqual(await reasonsOf(method, {}));
    },
  );

  test.each(METHODS.filter(isNamed).map((method) => [method.name, method] as const))(
    "is read for %s over every protocol",
    async (_, method) => {
      // No id: the request is not done.
      const reason = ErrorReason.INVALID_HEADER;
      expect(await reasonsOf(method, { "idempotency-key": '"open' })).toEqual([reason, reason, reason, reason]);
    },
  );

  test("names what a call has instead, and means nothing where it is empty", async () => {
    const headers = { "x-api-key": (await latchkey.createKey(await latchkey.dashboard(), { permissions: ["*"] })).key };
    const body = { conversation_key: "c", user_message: { role: "ROLE_USER", content: [] } };
    const send = (idempotencyKey: string) =>
      latchkey.call("/api/v1/llm/gateway/send-message", body, { ...headers, "idempotency-key": idempotencyKey });
    const { status, json } = await send("deploy-7");
    expect([status, json.code, json.reason]).toEqual([400, "invalid_argument", "idempotency_not_supported"]);
    expect(json.message).toContain("client_message_id");
    expect((await send("")).json.reason).not.toBe("idempotency_not_supported");
  });

  test("may be sent by web pages", async () => {
    const response = await fetch(`${latchkey.url}/api/v1/webhooks/create`, {
      method: "OPTIONS",
      headers: { origin: "https://app.example", "access-control-request-method": "POST" },
    });
    expect(response.headers.get("access-control-allow-headers")).toContain("Idempotency-Key");
  });
});
