import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DenialReason } from "../../gen/latchkey/v1/denial_pb.ts";
import { type SwiftCallers, startSwiftCallers } from "./swift-callers.ts";
import { installSwift, type Swift } from "./swift-toolchain.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const PACKAGE = join(ROOT, "clients/swift");
/** Where the compiler writes: a developer's own `.build` is for another path, and perhaps another system. */
const OPTIONS = "--scratch-path /var/tmp/build/client -Xswiftc -warnings-as-errors";

let swift: Swift;
let callers: SwiftCallers;
beforeAll(async () => {
  swift = await installSwift();
  callers = await startSwiftCallers();
}, 1_800_000);
afterAll(() => callers?.close());

test("the package and its tests compile in Swift's mode 6 without a warning", async () => {
  const printed = await swift(PACKAGE, `swift build --build-tests ${OPTIONS} 2>&1`);
  expect(printed).not.toMatch(/\bwarning:/);
}, 900_000);

test("the package's own tests pass against the service", async () => {
  const printed = await swift(PACKAGE, `swift test --skip-build ${OPTIONS} 2>&1`, callers.env);
  expect(printed).toMatch(/Executed (?:[3-9]|\d\d)\d* tests, with 0 failures/);
}, 900_000);

test("the denials that they meet have every reason", () => {
  const reasons = Object.keys(DenialReason)
    .filter((name) => name !== "UNSPECIFIED" && Number.isNaN(Number(name)))
    .map((name) => name.toLowerCase());
  expect((callers.env.LATCHKEY_DENIALS ?? "").split(",").toSorted()).toEqual(reasons.toSorted());
});
