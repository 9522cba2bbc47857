// promise: http.tls-mistaken
import { spawn } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect as connectHttp2 } from "node:http2";
import { get as getHttps } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { connect } from "node:tls";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
import { PREFACE } from "../harness/http2-frames.ts";
import { sendRaw } from "../harness/raw-http.ts";
import { type Running, runService } from "../harness/service-process.ts";
import { makeCertificate, writeCertificate } from "../harness/test-certificate.ts";
import { copyDatabase, dropDatabase } from "../servers/postgres.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Migrated by the first start, and not by the others. */
let databaseUrl: string;
let cwd: string;
let started: Running | undefined;

beforeAll(async () => {
  databaseUrl = await copyDatabase(inject("servingTemplate").adminUrl);
});

afterAll(() => dropDatabase(inject("postgresUrl"), databaseUrl));

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "latchkey-tls-"));
});

afterEach(async () => {
  started?.child.kill("SIGKILL");
  await started?.ended();
  await rm(cwd, { recursive: true, force: true });
});

function start(env: Record<string, string>): Running {
  started = runService({ DATABASE_URL: databaseUrl, ...env }, cwd);
  return started;
}

/** The certificate that a new connection is shown, as PEM without line ends. */
async function shown(url: string): Promise<string> {
  const socket = connect({ port: Number(new URL(url).port), host: "127.0.0.1", rejectUnauthorized: false });
  await once(socket, "secureConnect");
  const { raw } = socket.getPeerCertificate();
  socket.destroy();
  return raw.toString("base64");
}

/** Runs the health check of the Dockerfile; answers its exit code. */
async function checkHealth(env: Record<string, string>): Promise<number> {
  const [, command = ""] = /^HEALTHCHECK[^[]+CMD (\[.+\])$/m.exec(await readFile(`${ROOT}Dockerfile`, "utf8")) ?? [];
  const [, ...args]: string[] = JSON.parse(command);
  const [code] = await once(spawn(process.execPath, args, { cwd: ROOT, env }), "exit");
  return code;
}

const body = (pem: string): string => pem.replace(/-----.*-----|\n/g, "");

test("the certificate is renewed on SIGHUP, and kept where the new one is invalid", async () => {
  const first = makeCertificate();
  const { certFile, keyFile } = await writeCertificate(cwd, first);
  const service = start({ TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile });
  const url = await service.listening();
  expect(await shown(url)).toBe(body(first.cert));

  await writeFile(certFile, "rubbish");
  service.child.kill("SIGHUP");
  await service.waitFor(/the certificate was not renewed: TLS_CERT_FILE must name a PEM file/);
  expect(await shown(url)).toBe(body(first.cert));

  for (const [validity, problem] of [
    [{ fromDays: -2, toDays: -1 }, /the certificate was not renewed: TLS_CERT_FILE must .* ended at 20\d\d-/],
    [{ fromDays: 1, toDays: 2 }, /the certificate was not renewed: TLS_CERT_FILE must .* begins at 20\d\d-/],
  ] as const) {
    await writeCertificate(cwd, makeCertificate(validity));
    service.child.kill("SIGHUP");
    await service.waitFor(problem);
    expect(await shown(url)).toBe(body(first.cert));
  }

  const second = makeCertificate({ toDays: 3 });
  await writeCertificate(cwd, second);
  service.child.kill("SIGHUP");
  await service.waitFor(/"subject":"CN=latchkey test \w+","expires":"20[^"]+Z","msg":"the certificate was renewed"/);
  expect(await shown(url)).toBe(body(second.cert));
  const seconds = new X509Certificate(second.cert).validToDate.getTime() / 1_000;
  expect(await metric(url, "latchkey_certificate_expiry_timestamp_seconds")).toBe(seconds);
});

/** A metric without labels, of a server whose certificate no authority has signed. */
async function metric(url: string, name: string): Promise<number> {
  const [answer] = await once(getHttps(`${url}/metrics`, { rejectUnauthorized: false }), "response");
  return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(await text(answer))?.[1]);
}

test("an expired certificate is served, and a warning says so", async () => {
  const expired = makeCertificate({ fromDays: -2, toDays: -1 });
  const { certFile, keyFile } = await writeCertificate(cwd, expired);
  const service = start({ TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile });
  const url = await service.listening();
  await service.waitFor(/"level":40,[^\n]*TLS_CERT_FILE must name a certificate that is valid now; this one ended at/);
  expect(await shown(url)).toBe(body(expired.cert));
});

test.each([
  ["HTTP/1.1", "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"],
  ["HTTP/2", PREFACE],
])("%s without TLS on a port that speaks TLS is answered so", async (_what, bytes) => {
  const { certFile, keyFile } = await writeCertificate(cwd, makeCertificate());
  const service = start({ TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile });
  const [, url = ""] = await service.waitFor(/"url":"https:([^"]+)"/);
  const answer = await sendRaw(`http:${url}`, bytes);
  expect(answer).toMatch(/^HTTP\/1.1 400 Bad Request\r\n/);
  expect(answer).toContain(
    '{"code":"invalid_argument","reason":"malformed_http","message":"This port speaks TLS; use https://."',
  );
});

test("TLS on a port that speaks HTTP is answered in plain text, and a line of the log says so", async () => {
  const service = start({});
  const [, url = ""] = await service.waitFor(/"url":"(http:[^"]+)"/);
  // The record that every ClientHello begins with.
  const answer = await sendRaw(url, Buffer.from("160301000501000001fc", "hex"));
  expect(answer).toMatch(/^HTTP\/1.1 400 Bad Request\r\n/);
  expect(answer).toContain("This port speaks HTTP without TLS; use http://.");
  await expect(getHttpsOf(url.replace("http:", "https:"))).rejects.toThrow();
  await service.waitFor(
    /a client sent TLS to a port without a certificate: call it with http:\/\/, or set TLS_CERT_FILE/,
  );
});

/** Rejects as `node:https` does. */
async function getHttpsOf(url: string): Promise<void> {
  await once(getHttps(url), "response");
}

test("the log tells the version and the bound address at the start, and the stop and its end", async () => {
  const service = start({ HOST: "0.0.0.0" });
  await service.waitFor(/"version":"\d+\.\d+\.\d+","url":"http:\/\/localhost:(\d+)","address":"0\.0\.0\.0:\1"/);
  service.child.kill("SIGTERM");
  expect(await service.ended()).toBe(0);
  expect(service.output()).toMatch(/"drain_ms":0,"msg":"stopping"}\n(?:.*\n)*.*"msg":"stopped"}\n$/);
});

describe("the image's health check", () => {
  test("passes in cleartext while the process lives, and then fails", async () => {
    const service = start({});
    const [, PORT = ""] = await service.waitFor(/"url":"http:[^"]+:(\d+)"/);
    expect(await checkHealth({ PORT })).toBe(0);
    service.child.kill("SIGKILL");
    await service.ended();
    expect(await checkHealth({ PORT })).toBe(1);
  });

  test.each(["0.0.0.0", "127.0.0.2", "localhost"])("asks where the service listens: HOST=%s", async (HOST) => {
    const [, PORT = ""] = await start({ HOST }).waitFor(/"url":"http:[^"]+:(\d+)"/);
    expect(await checkHealth({ HOST, PORT })).toBe(0);
  });

  test("passes with TLS, whatever authority signed the certificate", async () => {
    const { certFile, keyFile } = await writeCertificate(cwd, makeCertificate());
    const env = { TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile };
    const [, PORT = ""] = await start(env).waitFor(/"url":"https:[^"]+:(\d+)"/);
    expect(await checkHealth({ ...env, PORT })).toBe(0);
  });
});

test("an open HTTP/2 connection keeps no process from ending", async () => {
  const service = start({});
  const url = await service.listening();
  const session = connectHttp2(url).on("error", () => {});
  await once(session, "remoteSettings");
  service.child.kill("SIGTERM");
  const [code] = await once(session, "goaway");
  expect(code).toBe(0);
  expect(await service.ended()).toBe(0);
});

test.each([
  ["a key without a certificate", { TLS_KEY_FILE: "key.pem" }, "TLS_CERT_FILE is required"],
  ["a certificate without a key", { TLS_CERT_FILE: "cert.pem" }, "TLS_KEY_FILE is required"],
  [
    "a file that is not there",
    { TLS_CERT_FILE: "nope.pem", TLS_KEY_FILE: "key.pem" },
    "TLS_CERT_FILE must name a file",
  ],
  [
    "a certificate that is none",
    { TLS_CERT_FILE: "key.pem", TLS_KEY_FILE: "key.pem" },
    "TLS_CERT_FILE must name a PEM",
  ],
  ["a key that is none", { TLS_CERT_FILE: "cert.pem", TLS_KEY_FILE: "cert.pem" }, "TLS_KEY_FILE must name a PEM"],
  ["another certificate's key", { TLS_CERT_FILE: "cert.pem", TLS_KEY_FILE: "other.pem" }, "TLS_KEY_FILE must name the"],
])("%s is reported at the start", async (_what, env, problem) => {
  await writeCertificate(cwd, makeCertificate());
  await writeFile(join(cwd, "other.pem"), makeCertificate().key);
  const service = start(env);
  expect(await service.ended()).toBe(1);
  expect(service.output()).toContain(`  - ${problem}`);
});
