import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { StoreUnavailable } from "../../domain/vocabulary/store-unavailable.ts";
import { reportWebhookBacklog } from "./webhooks.ts";

test("the age of the oldest event is shown, and no age while it cannot be counted", async () => {
  const metrics = new Registry();
  const faults: unknown[] = [];
  let isAway = false;
  const backlog = reportWebhookBacklog({
    outbox: {
      async countBacklog() {
        if (isAway) throw new StoreUnavailable(new Error("away"));
        return { oldestSeconds: 70, disabled: 2 };
      },
    },
    metrics,
    onFault: (err) => void faults.push(err),
    countMs: 1,
  });
  const shown = (name: string) => metrics.getSingleMetricAsString(name);
  await expect.poll(() => shown("latchkey_webhook_oldest_pending_seconds")).toContain("_seconds 70");
  expect(await shown("latchkey_webhooks_disabled")).toContain("_disabled 2");
  isAway = true;
  await expect.poll(() => faults.length).toBeGreaterThan(0);
  for (const name of ["latchkey_webhook_oldest_pending_seconds", "latchkey_webhooks_disabled"]) {
    expect(await shown(name)).not.toMatch(/^latchkey/m);
  }
  backlog.close();
});
