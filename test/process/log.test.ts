import { closeSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, inject, onTestFinished, test } from "vitest";
import { BUILT, run } from "../harness/service-process.ts";
import { copyTemplate } from "../servers/embedded-template.ts";
import { freePort } from "../servers/free-port.ts";

test("every line of the log is written once and in order, also those of the last moment", async () => {
  const logging = run("../test/process/fixtures/log-lines.ts", {}, tmpdir());
  expect(await logging.ended()).toBe(0);
  const lines = logging.output().trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line).n)).toEqual(Array.from({ length: 1_000 }, (_, n) => n));
});

// threat: H12
test("a full disk below the log costs no answer, is reported on stderr once, and does not keep the process", async () => {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), "latchkey-log-"));
  await copyTemplate(inject("embeddedTemplate"), join(folder, "data"));
  const full = openSync("/dev/full", "w");
  const env = { PORT: `${port}`, HOST: "127.0.0.1", DRAIN_SECONDS: "0", DATA_DIR: join(folder, "data") };
  const service = run(BUILT, env, folder, full);
  onTestFinished(async () => {
    service.child.kill("SIGKILL");
    await service.ended();
    closeSync(full);
    rmSync(folder, { recursive: true });
  });
  const status = () => fetch(`http://127.0.0.1:${port}/healthz`).then((answer) => answer.status);
  await service.waitFor(/lines are lost: ENOSPC/);
  await expect.poll(() => status().catch(() => 0), { timeout: 60_000 }).toBe(200);
  for (let n = 0; n < 100; n++) expect(await status()).toBe(200);
  service.child.kill("SIGTERM");
  expect(await service.ended()).toBe(0);
  expect(service.output().match(/ENOSPC/g)).toHaveLength(1);
});
