import { expect, test } from "vitest";
import { startGate } from "../../test/harness/memory-gate.ts";
import { mountServices } from "./rpcs.ts";

test("a service of the protos that no part serves ends the start", async () => {
  const { ctx, gate } = await startGate();
  expect(() => mountServices(gate, ctx.translate, [])).toThrow(/no part serves .*latchkey\.v1\.UsageService/);
});
