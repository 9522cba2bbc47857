import { execFileSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { DenialReason } from "../../gen/latchkey/v1/denial_pb.ts";
import { ErrorReason } from "../../gen/latchkey/v1/error_reason_pb.ts";
import { OPEN_RPCS, RPCS } from "../harness/rpcs.ts";
import { SERVICES } from "../harness/services.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
/** All calls: those that need credentials, and those that need none. */
const PATHS = [...RPCS, ...OPEN_RPCS].map(({ path }) => path).toSorted();
const SOURCES = join(ROOT, "clients/swift/Sources/Latchkey");

async function textsOf(folder: string): Promise<Map<string, string>> {
  const names = (await readdir(folder)).toSorted();
  return new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), "utf8")] as const)),
  );
}

const generated = await textsOf(join(SOURCES, "Generated"));
const text = [...generated.values()].join("\n");

test("generating the Swift package's code again changes nothing", async () => {
  const dir = await mkdtemp(join(tmpdir(), "latchkey-swift-"));
  try {
    execFileSync("buf", ["generate", "--template", "buf.gen.swift-package.yaml", "-o", dir], { cwd: ROOT });
    const again = await textsOf(join(dir, "clients/swift/Sources/Latchkey/Generated"));
    expect(again.size).toBeGreaterThan(15);
    expect(generated).toEqual(again);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
});

test("the client has every service, and every call at its path", async () => {
  const client = await readFile(join(SOURCES, "LatchkeyClient.swift"), "utf8");
  const services = [...text.matchAll(/public struct (\w+Service): Sendable/g)].map(([, name]) => name);
  expect(services.length).toBeGreaterThanOrEqual(10);
  for (const service of services) expect(client).toContain(`: V1.${service} { V1.${service}(caller: caller) }`);
  const paths = [...text.matchAll(/caller\.call\("([^"]+)"/g)].map(([, path]) => path);
  expect(paths.toSorted()).toEqual(PATHS);
});

test("calls are repeated on a guess where the protos say that they only read, and by an id", () => {
  const calls = [
    ...text.matchAll(
      /public func (\w+)\(_ request: .*\n .*caller\.call\("[^"]+", (.*), isRepeatable: (.*)\)\n(.*alreadyCreated == true \{ throw)?/g,
    ),
  ].map(([, name, request, isRepeatable, check]) => ({ name, sent: [request, isRepeatable, check !== undefined] }));
  const expected = SERVICES.flatMap(({ methods }) => methods).map(({ localName: name, idempotency, input }) => {
    if (input.field.clientMessageId) return { name, sent: ["named(request, \\.clientMessageID)", "true", false] };
    if (input.field.clientRequestId) return { name, sent: ["named(request, \\.clientRequestID)", "true", true] };
    if (input.field.clientOrgId) return { name, sent: ["request", "!request.clientOrgID.isEmpty", false] };
    const isRead = idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
    return { name, sent: ["request", String(isRead), false] };
  });
  const byName = (one: { name?: string | undefined }, other: { name?: string | undefined }) =>
    String(one.name).localeCompare(String(other.name));
  expect(calls.toSorted(byName)).toEqual(expected.toSorted(byName));
});

test("every reason has its name, and no secret is printed", () => {
  for (const name of [...Object.keys(DenialReason), ...Object.keys(ErrorReason)]) {
    if (name === "UNSPECIFIED" || !Number.isNaN(Number(name))) continue;
    expect(generated.get("Reasons.swift")).toContain(`= Self(rawValue: "${name.toLowerCase()}")`);
  }
  expect([...text.matchAll(/redacted\(self\.(\w+)\)/g)].map(([, name]) => name).toSorted()).toEqual([
    "assertion",
    "key",
    "key",
    "key",
    "key",
    "secret",
    "secret",
    "token",
    "token",
    "token",
    "token",
    "token",
  ]);
});

test("no type of the protos shows through that is not Swift's", () => {
  expect(text).not.toMatch(/ListValue|google\.protobuf|Timestamp\b.*=/);
  expect(text).toContain("public var series: [UsageStep]?");
  expect(text).toContain("public var authorizedParties: [String]?");
  expect(text).toContain("public var createdAt: Date\n");
});
