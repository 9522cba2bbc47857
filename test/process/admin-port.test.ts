import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, inject, onTestFinished, test } from "vitest";
import { secureGet } from "../harness/secure-get.ts";
import { type Running, runService } from "../harness/service-process.ts";
import { makeCertificate, writeCertificate } from "../harness/test-certificate.ts";
import { closeAll, listenOnLoopback } from "../servers/loopback.ts";
import { copyDatabase, dropDatabase } from "../servers/postgres.ts";

let cwd: string;
let databaseUrl: string;
let started: Running | undefined;

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "latchkey-admin-"));
  databaseUrl = await copyDatabase(inject("servingTemplate").adminUrl);
});
afterEach(async () => {
  await started?.end("SIGKILL");
  await dropDatabase(inject("postgresUrl"), databaseUrl);
  await rm(cwd, { recursive: true, force: true });
});

function start(env: Record<string, string>): Running {
  started = runService({ DATABASE_URL: databaseUrl, ...env }, cwd);
  return started;
}

/** The URLs of both ports. */
async function urlsOf(service: Running): Promise<[string, string]> {
  const [, url = "", adminUrl = ""] = await service.waitFor(/"url":"([^"]+)".*"admin_url":"([^"]+)"/);
  return [url, adminUrl];
}

test("a process with an admin port logs both addresses, and closes both when it stops", async () => {
  const service = start({ ADMIN_PORT: "0" });
  const [url, adminUrl] = await urlsOf(service);
  expect((await fetch(`${adminUrl}/metrics`)).status).toBe(200);
  expect((await fetch(`${url}/metrics`)).status).toBe(404);
  expect(await service.end("SIGTERM")).toBe(0);
  for (const closed of [url, adminUrl]) await expect(fetch(`${closed}/healthz`)).rejects.toThrow();
});

test("a process that cannot have its admin port says so by the variable, and ends", async () => {
  const other = createServer();
  const taken = await listenOnLoopback(other);
  onTestFinished(() => closeAll(other));
  const service = start({ ADMIN_PORT: String(taken) });
  expect(await service.ended()).toBe(1);
  expect(service.output()).toContain(`latchkey: ADMIN_PORT: ${taken} on 127.0.0.1 is in use`);
});

test("a process whose main port is taken leaves its admin port, and ends", async () => {
  const other = createServer();
  const taken = await listenOnLoopback(other);
  onTestFinished(() => closeAll(other));
  const service = start({ PORT: String(taken), ADMIN_PORT: "0" });
  expect(await service.ended()).toBe(1);
  expect(service.output()).toContain(`latchkey: PORT: ${taken} on 127.0.0.1 is in use`);
});

test("both ports speak TLS with one certificate, and renew it on SIGHUP", async () => {
  const { certFile, keyFile } = await writeCertificate(cwd, makeCertificate());
  const service = start({ ADMIN_PORT: "0", TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile });
  const urls = await urlsOf(service);
  const shown = () => Promise.all(urls.map(async (url) => (await secureGet(`${url}/healthz`)).certificate));
  const [main, admin] = await shown();
  expect(admin).toBe(main);
  await writeCertificate(cwd, makeCertificate({ toDays: 3 }));
  service.child.kill("SIGHUP");
  await service.waitFor(/"msg":"the certificate was renewed"/);
  const renewed = await shown();
  expect(renewed[0]).toBe(renewed[1]);
  expect(renewed[0]).not.toBe(main);
});
