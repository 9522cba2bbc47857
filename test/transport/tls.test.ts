// promise: http.tls
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ConnectionOptions, connect, getCiphers } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type HttpServer, listen } from "../../src/transport/http/server.ts";
import { LISTEN_OPTIONS } from "../harness/listen-options.ts";
import { type CertificateOptions, makeCertificate, writeCertificate } from "../harness/test-certificate.ts";

/** Every cipher of TLS 1.2 and before that OpenSSL knows. */
const OLD_CIPHERS = getCiphers()
  .filter((name) => !name.startsWith("tls_"))
  .map((name) => name.toUpperCase());
const AEAD = ["AES128-GCM-SHA256", "AES256-GCM-SHA384", "CHACHA20-POLY1305"];

/** What a client that offers this and nothing else agrees on with the server; undefined where the handshake fails. */
function negotiated(url: string, offer: ConnectionOptions): Promise<string | undefined> {
  return new Promise((resolve) => {
    const to = { port: Number(new URL(url).port), host: "127.0.0.1", rejectUnauthorized: false };
    try {
      const socket = connect({ ...to, ...offer }, () => {
        resolve([socket.getProtocol(), socket.getCipher().name, socket.alpnProtocol || "no ALPN"].join(" "));
        socket.destroy();
      });
      socket.on("error", () => resolve(undefined));
    } catch {
      // A cipher that this build lists and does not have.
      resolve(undefined);
    }
  });
}

describe.each<[NonNullable<CertificateOptions["keyType"]>, string]>([
  ["ec", "ECDSA"],
  ["rsa", "RSA"],
])("with a certificate of the type %s", (keyType, authentication) => {
  let dir: string;
  let server: HttpServer;

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), "latchkey-ciphers-"));
    const tls = await writeCertificate(dir, makeCertificate({ keyType }));
    server = await listen((_req, res) => void res.end(), { ...LISTEN_OPTIONS, tls });
  });

  afterAll(async () => {
    await server.close(0);
    await rm(dir, { recursive: true });
  });

  async function acceptedCiphers(): Promise<string[]> {
    const accepted: string[] = [];
    for (const cipher of OLD_CIPHERS) {
      const offer = { ciphers: `${cipher}:@SECLEVEL=0`, minVersion: "TLSv1", maxVersion: "TLSv1.2" } as const;
      const agreed = await negotiated(server.url, offer);
      if (agreed !== undefined) accepted.push(agreed);
    }
    return accepted.toSorted();
  }

  test("TLS 1.2 negotiates ECDHE with authenticated encryption only, also after a renewal", async () => {
    expect(OLD_CIPHERS).toContain("AES128-SHA");
    const expected = AEAD.map((cipher) => `TLSv1.2 ECDHE-${authentication}-${cipher} no ALPN`);
    expect(await acceptedCiphers()).toEqual(expected);
    await writeCertificate(dir, makeCertificate({ keyType }));
    server.reloadCertificate(new Date());
    expect(await acceptedCiphers()).toEqual(expected);
  });

  test.each([
    ["TLSv1.3", "TLS_AES_256_GCM_SHA384"],
    ["TLSv1.2", `ECDHE-${authentication}-AES128-GCM-SHA256`],
  ] as const)("ALPN agrees on HTTP/2 over %s", async (version, cipher) => {
    const offer = { ALPNProtocols: ["h2", "http/1.1"], maxVersion: version };
    expect(await negotiated(server.url, offer)).toBe(`${version} ${cipher} h2`);
  });

  test.each(["TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"])(
    "TLS 1.3 negotiates %s",
    async (cipher) => {
      expect(await negotiated(server.url, { ciphers: cipher })).toBe(`TLSv1.3 ${cipher} no ALPN`);
    },
  );
});
