import {
  clone,
  create,
  createFileRegistry,
  type DescMessage,
  type DescMethod,
  type DescMethodUnary,
  type DescService,
  type MessageInitShape,
} from "@bufbuild/protobuf";
import {
  FieldDescriptorProto_Label,
  FieldDescriptorProto_Type,
  FileDescriptorProtoSchema,
} from "@bufbuild/protobuf/wkt";
import { createConnectTransport } from "@connectrpc/connect-web";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { file_latchkey_v1_gateway_service } from "../../clients/typescript/src/gen/latchkey/v1/gateway_service_pb.ts";
import { reachingFetch } from "../../clients/typescript/src/reaching-fetch.ts";
import { nameCalls } from "../../clients/typescript/src/repeatable.ts";
import { retryCalls } from "../../clients/typescript/src/retry.ts";
import { ok, type ScriptedService, startScriptedService } from "./scripted-service.ts";

let service: ScriptedService;

beforeAll(async () => {
  service = await startScriptedService();
});

afterAll(() => service.close());

/** GatewayService as a service may have it: with `client_message_id` in SendMessageRequest, or without. */
function gatewayService(hasName: boolean): DescService {
  const file = clone(FileDescriptorProtoSchema, file_latchkey_v1_gateway_service.proto);
  const request = file.messageType.find(({ name }) => name === "SendMessageRequest");
  if (request === undefined) throw new Error("there is no SendMessageRequest");
  request.field = request.field.filter(({ name }) => name !== "client_message_id");
  if (hasName) {
    const type = FieldDescriptorProto_Type.STRING;
    const label = FieldDescriptorProto_Label.OPTIONAL;
    const name = "client_message_id";
    request.field.push({ ...emptyField(request.field), name, jsonName: name, number: 99, type, label });
  }
  const dependency = (name: string) =>
    file_latchkey_v1_gateway_service.dependencies.find(({ proto }) => proto.name === name);
  const found = createFileRegistry(file, dependency).getService("latchkey.v1.GatewayService");
  if (found === undefined) throw new Error("there is no GatewayService");
  return found;
}

/** A field of which everything but what is set is absent. */
function emptyField<T extends object>([first]: readonly T[]): T {
  if (first === undefined) throw new Error("there is no field");
  return { ...first, typeName: "" };
}

function isUnary(method: DescMethod): method is DescMethodUnary {
  return method.methodKind === "unary";
}

/** SendMessage, as a client of that service has it. */
function send(desc: DescService): (message: MessageInitShape<DescMessage>) => Promise<unknown> {
  const method = desc.methods.filter(isUnary).find(({ name }) => name === "SendMessage");
  if (method === undefined) throw new Error("there is no SendMessage");
  const transport = createConnectTransport({
    baseUrl: service.url,
    fetch: reachingFetch(undefined),
    interceptors: [nameCalls, retryCalls({ sleep: async () => {} })],
  });
  return (message) => transport.unary(method, undefined, undefined, undefined, message);
}

const names = () => service.received.map(({ body }) => body.client_message_id);

describe("a message whose answer is lost", () => {
  test("is sent again with the same id", async () => {
    service.play("hang up", { status: 503 }, ok());
    await send(gatewayService(true))({ conversationKey: "c" });
    expect(names()).toEqual(Array(3).fill(expect.stringMatching(/^[0-9a-f]{32}$/)));
    expect(new Set(names()).size).toBe(1);
  });

  test("keeps the id that its sender gave it", async () => {
    service.play("hang up", ok());
    await send(gatewayService(true))({ conversationKey: "c", clientMessageId: "mine" });
    expect(names()).toEqual(["mine", "mine"]);
  });

  test("is not sent again if the service has no message ids", async () => {
    service.play("hang up");
    await expect(send(gatewayService(false))({ conversationKey: "c" })).rejects.toThrow();
    expect(names()).toEqual([undefined]);
  });
});

test("one object sent twice is two messages", async () => {
  service.play(ok());
  const desc = gatewayService(true);
  const input = desc.methods.find(({ name }) => name === "SendMessage")?.input;
  if (input === undefined) throw new Error("there is no SendMessage");
  const message = create(input);
  await send(desc)(message);
  await send(desc)(message);
  expect(new Set(names()).size).toBe(2);
  expect(message).not.toHaveProperty("clientMessageId", expect.stringMatching(/./));
});
