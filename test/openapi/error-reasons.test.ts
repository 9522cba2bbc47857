import { glob, readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { DenialReason } from "../../gen/latchkey/v1/denial_pb.ts";
import { ErrorReason } from "../../gen/latchkey/v1/error_reason_pb.ts";
import { DENIALS } from "../../src/domain/vocabulary/denial.ts";
import { ERROR_REASONS } from "../../src/domain/vocabulary/error-reason.ts";

const ROOT = new URL("../..", import.meta.url).pathname;
const TABLE = "src/domain/vocabulary/error-reason.ts";
/** They answer by the protocols of gRPC's reflection and watches of health, or no client is left to read the error. */
const WITHOUT_REASON = [
  // Tells its user about a row, before anything is sent.
  "src/cli/import/send-rows.ts",
  "src/interceptors/errors.ts",
  "src/interceptors/error-info.ts",
  // Copies an error with its reason.
  "src/transport/endpoints/auth-check.ts",
  "src/transport/grpc/reflection.ts",
  "src/transport/grpc/watchers.ts",
  "src/transport/request/body.ts",
  "src/transport/request/client-disconnect.ts",
];

async function sources(): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for await (const file of glob("src/**/*.ts", { cwd: ROOT })) {
    if (!file.endsWith(".test.ts")) files.set(file, await readFile(`${ROOT}/${file}`, "utf8"));
  }
  return files;
}

function names(reasons: object): string[] {
  return Object.keys(reasons)
    .filter((name) => name !== "UNSPECIFIED")
    .map((name) => name.toLowerCase());
}

test("the enums of the protos and the tables of the service have the same reasons, and none is in both", () => {
  expect(names(ErrorReason)).toEqual(Object.keys(ERROR_REASONS));
  expect(names(DenialReason).sort()).toEqual(Object.keys(DENIALS).sort());
  expect(names(ErrorReason).filter((name) => Object.hasOwn(DENIALS, name))).toEqual([]);
});

test("no reason is without a place in the service that fails with it", async () => {
  const all = [...(await sources())].filter(([file]) => file !== TABLE);
  // Made from the status of a key, which has the rest of the name.
  expect(all.some(([, text]) => /faultOf\(`key_\$\{status\}`/.test(text))).toBe(true);
  const ofStatus = (reason: string): boolean => /^key_(revoked|expired|disabled)$/.test(reason);
  const unused = Object.keys(ERROR_REASONS).filter(
    (reason) => !ofStatus(reason) && !all.some(([, text]) => text.includes(`"${reason}"`)),
  );
  expect(unused).toEqual([]);
});

test("an error is made without a reason only where no caller of the API reads it", async () => {
  const made = [...(await sources())].filter(([, text]) => /new ConnectError\(/.test(text)).map(([file]) => file);
  expect(made.sort()).toEqual([...WITHOUT_REASON].sort());
});
