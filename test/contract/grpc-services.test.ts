import { fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport } from "@connectrpc/connect-node";
import { Client, credentials, Metadata, type ServiceError } from "@grpc/grpc-js";
import { beforeAll, describe, expect, test } from "vitest";
import { ServerReflection } from "../../gen/grpc/reflection/v1/reflection_pb.ts";
import { ServerReflection as ServerReflectionV1Alpha } from "../../gen/grpc/reflection/v1alpha/reflection_pb.ts";
import { Health, HealthCheckResponse_ServingStatus as ServingStatus } from "../../gen/health/v1/health_pb.ts";
import { post } from "../harness/http.ts";
import { type Latchkey, sharedLatchkey, startLatchkey } from "../harness/latchkey.ts";

const OURS = [
  "latchkey.v1.ApiKeyService",
  "latchkey.v1.AuditService",
  "latchkey.v1.AuthService",
  "latchkey.v1.FederationService",
  "latchkey.v1.GatewayService",
  "latchkey.v1.KeyPolicyService",
  "latchkey.v1.LeakService",
  "latchkey.v1.OperatorService",
  "latchkey.v1.OrgService",
  "latchkey.v1.RequestService",
  "latchkey.v1.ScopeService",
  "latchkey.v1.TokenService",
  "latchkey.v1.UsageService",
  "latchkey.v1.WebhookService",
];

let latchkey: Latchkey;
let grpc: Transport;

beforeAll(async () => {
  latchkey = await sharedLatchkey();
  grpc = createGrpcTransport({ baseUrl: latchkey.url });
});

type Ask =
  | { case: "listServices" | "fileByFilename" | "fileContainingSymbol" | "allExtensionNumbersOfType"; value: string }
  | { case: "fileContainingExtension"; value: { containingType: string; extensionNumber: number } };

describe.each([
  ["v1", ServerReflection],
  ["v1alpha", ServerReflectionV1Alpha],
])("reflection %s, without credentials,", (_version, service) => {
  /** The answers to questions asked in one stream, each only after the answer to the one before. */
  async function reflect(...questions: Ask[]) {
    // The two versions have the same messages, which TypeScript cannot know.
    const client = createClient(service as typeof ServerReflection, grpc);
    let answered = Promise.withResolvers<void>();
    async function* requests() {
      for (const messageRequest of questions) {
        yield { messageRequest };
        await answered.promise;
      }
    }
    const replies = [];
    for await (const { messageResponse } of client.serverReflectionInfo(requests())) {
      replies.push(messageResponse);
      const before = answered;
      answered = Promise.withResolvers();
      before.resolve();
    }
    return replies;
  }

  async function filesOf(question: Ask): Promise<(string | undefined)[]> {
    const [reply] = await reflect(question);
    if (reply?.case !== "fileDescriptorResponse") throw new Error(JSON.stringify(reply));
    return reply.value.fileDescriptorProto.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes).name);
  }

  test("lists our services, and itself", async () => {
    const [reply] = await reflect({ case: "listServices", value: "" });
    if (reply?.case !== "listServicesResponse") throw new Error(JSON.stringify(reply));
    expect(reply.value.service.map(({ name }) => name)).toEqual(expect.arrayContaining([...OURS, service.typeName]));
  });

  test.each<[Ask, string]>([
    [{ case: "fileByFilename", value: "latchkey/v1/org.proto" }, "latchkey/v1/org.proto"],
    [{ case: "fileContainingSymbol", value: "latchkey.v1.OrgService" }, "latchkey/v1/org_service.proto"],
    [{ case: "fileContainingSymbol", value: "latchkey.v1.OrgService.CreateOrg" }, "latchkey/v1/org_service.proto"],
    [{ case: "fileContainingSymbol", value: "latchkey.v1.KeyType" }, "latchkey/v1/api_key.proto"],
    [{ case: "fileContainingSymbol", value: "latchkey.v1.Denial" }, "latchkey/v1/denial.proto"],
    [
      {
        case: "fileContainingExtension",
        value: { containingType: "google.protobuf.MethodOptions", extensionNumber: 50_001 },
      },
      "latchkey/v1/policy.proto",
    ],
  ])("answers %j with the file and its imports, each once", async (question, file) => {
    const files = await filesOf(question);
    expect(files[0]).toBe(file);
    expect(new Set(files).size).toBe(files.length);
  });

  test("sends the imports of a file once in a stream, and answers in the order of the requests", async () => {
    const symbols = OURS.map((value): Ask => ({ case: "fileContainingSymbol", value }));
    const replies = await reflect(...symbols);
    const files = replies.flatMap((reply) =>
      reply.case === "fileDescriptorResponse" ? reply.value.fileDescriptorProto : [],
    );
    const names = files.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes).name);
    expect(replies).toHaveLength(OURS.length);
    expect(new Set(names).size).toBe(names.length);
  });

  test("returns the numbers of extensions", async () => {
    const [reply] = await reflect({ case: "allExtensionNumbersOfType", value: "google.protobuf.MethodOptions" });
    if (reply?.case !== "allExtensionNumbersResponse") throw new Error(JSON.stringify(reply));
    expect(reply.value.extensionNumber).toContain(50_001);
  });

  test.each<Ask>([
    { case: "fileByFilename", value: "../../etc/passwd" },
    { case: "fileContainingSymbol", value: "latchkey.v1.Nope" },
    { case: "fileContainingSymbol", value: "__proto__" },
    { case: "fileContainingExtension", value: { containingType: "latchkey.v1.Denial", extensionNumber: 1 } },
    { case: "allExtensionNumbersOfType", value: "nope" },
  ])("answers %j not_found", async (question) => {
    const [reply] = await reflect(question);
    expect(reply).toMatchObject({ case: "errorResponse", value: { errorCode: Code.NotFound } });
  });
});

describe("health, without credentials,", () => {
  test.each(["", ...OURS])("of %j is serving, over gRPC and Connect", async (service) => {
    for (const transport of [grpc, createConnectTransport({ baseUrl: latchkey.url, httpVersion: "1.1" })])
      expect((await createClient(Health, transport).check({ service })).status).toBe(ServingStatus.SERVING);
  });

  test("of an unknown service is not_found to a check and SERVICE_UNKNOWN to a watch", async () => {
    const health = createClient(Health, grpc);
    const err = await health.check({ service: "nope" }).catch(ConnectError.from);
    expect(err).toMatchObject({ code: Code.NotFound });
    const leave = new AbortController();
    const watching = health.watch({ service: "nope" }, { signal: leave.signal })[Symbol.asyncIterator]();
    expect((await watching.next()).value?.status).toBe(ServingStatus.SERVICE_UNKNOWN);
    leave.abort();
  });

  test("is listed for every service", async () => {
    const { statuses } = await createClient(Health, grpc).list({});
    expect(Object.keys(statuses).toSorted()).toEqual(["", ...OURS]);
  });

  test("may be watched 10 times on one connection, and an ended watch makes room for another", async () => {
    const logged = latchkey.logLines.length;
    const health = createClient(Health, createGrpcTransport({ baseUrl: latchkey.url }));
    const other = createClient(Health, createGrpcTransport({ baseUrl: latchkey.url }));
    const leave = new AbortController();
    const watching = Array.from({ length: 10 }, () =>
      health.watch({}, { signal: leave.signal })[Symbol.asyncIterator](),
    );
    for (const watcher of watching) expect((await watcher.next()).done).toBe(false);
    const signal = AbortSignal.timeout(20_000);
    const begin = (client = health) =>
      client
        .watch({}, { signal })
        [Symbol.asyncIterator]()
        .next()
        .then(
          ({ value }) => value?.status,
          (err: unknown) => ConnectError.from(err).code,
        );
    expect(await begin()).toBe(Code.ResourceExhausted);
    expect(await begin(other)).toBe(ServingStatus.SERVING);
    // The client hears of its own leaving and says so with an error.
    const left = Promise.allSettled(watching.map((watcher) => watcher.next()));
    leave.abort();
    await left;
    await expect.poll(() => begin()).toBe(ServingStatus.SERVING);
    expect(latchkey.logLines.slice(logged).filter((line) => line.includes("unforeseen"))).toEqual([]);
  });

  test("is NOT_SERVING as soon as the process drains, and a watch does not keep the process", async () => {
    const draining = await startLatchkey({ config: { drainNoticeMs: 1_000 } });
    const statuses: ServingStatus[] = [];
    const health = createClient(Health, createGrpcTransport({ baseUrl: draining.url }));
    const watched = Promise.withResolvers<void>();
    const watching = (async () => {
      for await (const { status } of health.watch({})) {
        statuses.push(status);
        watched.resolve();
      }
    })();
    await watched.promise;
    const closed = draining.close();
    await watching;
    expect(statuses).toEqual([ServingStatus.SERVING, ServingStatus.NOT_SERVING]);
    const late = createClient(Health, createGrpcTransport({ baseUrl: draining.url }));
    expect((await late.check({})).status).toBe(ServingStatus.NOT_SERVING);
    await closed;
  });
});

test("a bidirectional stream over HTTP/1.1 is rejected with the hint to use HTTP/2", async () => {
  const path = `/${ServerReflection.typeName}/ServerReflectionInfo`;
  const answer = await post(latchkey.url, path, "", { "content-type": "application/connect+json" });
  expect(answer.status).toBe(505);
  expect(answer.json.message).toContain("HTTP/2");
});

test("gRPC's own client reads the limit and the typed denial from the error's metadata", async () => {
  const { key } = await latchkey.createKey(await latchkey.dashboard(), { rate_limit: { requests_per_minute: 1 } });
  const client = new Client(new URL(latchkey.url).host, credentials.createInsecure());
  const metadata = new Metadata();
  metadata.set("x-api-key", key);
  const call = () =>
    new Promise<ServiceError | null>((resolve) => {
      const raw = (bytes: Buffer) => bytes;
      const path = "/latchkey.v1.GatewayService/ListThreads";
      client.makeUnaryRequest(path, raw, raw, Buffer.alloc(0), metadata, (err) => resolve(err));
    });
  expect(await call()).toBeNull();
  const refused = await call();
  client.close();
  expect(refused?.code).toBe(8);
  expect(refused?.metadata.get("x-ratelimit-limit")).toEqual(["1"]);
  expect(refused?.metadata.get("x-ratelimit-remaining")).toEqual(["0"]);
  expect(Number(refused?.metadata.get("retry-after")[0])).toBeGreaterThanOrEqual(1);
  const [details] = refused?.metadata.get("grpc-status-details-bin") ?? [];
  expect(String(details)).toContain("latchkey.v1.Denial");
});
