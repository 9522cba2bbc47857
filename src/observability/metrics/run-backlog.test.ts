import { Registry } from "prom-client";
import { expect, test } from "vitest";
import type { UnfinishedRuns } from "../../domain/conversations/conversation-store.ts";
import { reportRunBacklog } from "./run-backlog.ts";

test("the backlog shows each state while it can be counted, and no value while it cannot", async () => {
  const metrics = new Registry();
  const faults: unknown[] = [];
  let found: readonly UnfinishedRuns[] | Error = [{ state: "queued", count: 3, oldestSeconds: 70 }];
  const countUnfinished = async () => {
    if (found instanceof Error) throw found;
    return found;
  };
  const backlog = reportRunBacklog({
    queue: { countUnfinished },
    metrics,
    onFault: (err) => faults.push(err),
    countMs: 1,
  });
  const shown = () => metrics.getSingleMetricAsString("latchkey_runs");
  await expect.poll(shown).toContain('latchkey_runs{state="queued"} 3');
  expect(await shown()).toContain('latchkey_runs{state="running"} 0');
  expect(await metrics.getSingleMetricAsString("latchkey_runs_oldest_age_seconds")).toContain('{state="queued"} 70');
  const away = new Error("away");
  found = away;
  await expect.poll(shown).not.toContain("{");
  expect(faults[0]).toBe(away);
  found = [];
  await expect.poll(shown).toContain('latchkey_runs{state="queued"} 0');
  backlog.close();
});
