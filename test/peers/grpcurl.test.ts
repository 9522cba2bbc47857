import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { blocksOf, type Callers, needs, output, startCallers } from "./callers.ts";

const MODULE = "github.com/fullstorydev/grpcurl/cmd/grpcurl@v1.9.4";

let callers: Callers;
let dir: string;
let host: string;
beforeAll(async () => {
  await needs(
    "The tests with grpcurl need Go 1.25 or later, which downloads and builds it: install Go.",
    "go",
    "version",
  );
  dir = await mkdtemp(join(tmpdir(), "latchkey-grpcurl-"));
  await output("go", ["install", MODULE], { cwd: dir, env: { GOBIN: dir } });
  callers = await startCallers();
  host = new URL(callers.url).host;
}, 300_000);
afterAll(async () => {
  await callers?.close();
  await rm(dir, { recursive: true, force: true });
});

/** Over HTTP/2 without TLS, with prior knowledge. It knows the messages by reflection alone. */
const grpcurl = (...args: readonly string[]) => output(join(dir, "grpcurl"), ["-plaintext", ...args]);

test("grpcurl lists the services by reflection", async () => {
  const services = (await grpcurl(host, "list")).trim().split("\n");
  expect(services).toEqual(
    expect.arrayContaining(["grpc.health.v1.Health", "latchkey.v1.ApiKeyService", "latchkey.v1.GatewayService"]),
  );
});

test("the guide's commands for grpcurl do what it says", async () => {
  const guide = await readFile(new URL("../../docs/guides/other-languages.md", import.meta.url), "utf8");
  const [commands] = blocksOf(guide, "sh").filter((block) => block.startsWith("grpcurl "));
  if (commands === undefined) throw new Error("the guide has no commands for grpcurl");
  const env = { ...callers.env, PATH: `${dir}${delimiter}${process.env.PATH}` };
  const printed = await output("sh", ["-ec", commands], { env });
  for (const part of ["latchkey.v1.OrgService\n", "rpc ListThreads", '"pagination"']) expect(printed).toContain(part);
});

test("grpcurl describes a service, a method and a message", async () => {
  expect(await grpcurl(host, "describe", "latchkey.v1.AuthService")).toContain("rpc Verify");
  const method = await grpcurl(host, "describe", "latchkey.v1.GatewayService.ListThreads");
  expect(method).toContain("( .latchkey.v1.ListThreadsRequest ) returns ( .latchkey.v1.ListThreadsResponse )");
  expect(await grpcurl(host, "describe", ".latchkey.v1.Denial")).toContain("DenialReason reason = 1");
});

test("grpcurl calls with a secret key, with a publishable key and with a dashboard token", async () => {
  const verify = async (...headers: readonly string[]) =>
    JSON.parse(
      await grpcurl(...headers.flatMap((header) => ["-H", header]), "-d", "{}", host, "latchkey.v1.AuthService/Verify"),
    );
  const token = `Authorization: Bearer ${callers.token}`;
  expect(await verify(`X-API-Key: ${callers.key}`)).toMatchObject({ caller: "CALLER_SECRET_KEY" });
  expect(
    await verify(`X-API-Key: ${callers.publishableKey}`, `Authorization: Bearer ${callers.userToken}`),
  ).toMatchObject({ caller: "CALLER_PUBLISHABLE_KEY", user_id: "user_1" });
  expect(await verify(token)).toMatchObject({ caller: "CALLER_DASHBOARD_USER" });
  const body = JSON.stringify({ name: "by grpcurl", permissions: ["plans:read"] });
  const created = await grpcurl("-H", token, "-d", body, host, "latchkey.v1.ApiKeyService/CreateApiKey");
  expect(JSON.parse(created).result.key).toMatch(/^sk_/);
});

test("grpcurl shows the code, the message and the typed reason of a denial", async () => {
  const call = grpcurl("-H", `X-API-Key: ${callers.key}`, "-d", "{}", host, "latchkey.v1.ApiKeyService/ListApiKeys");
  const message = await call.then(
    () => "",
    (err: Error) => err.message,
  );
  expect(message).toContain("Code: PermissionDenied");
  expect(message).toContain("latchkey.v1.Denial");
  expect(message).toContain("DENIAL_REASON_INSUFFICIENT_SCOPE");
});
