import { generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import type { CertificateFiles } from "../../src/config/settings.ts";

/** A certificate for 127.0.0.1 and localhost that signs itself, and its key, as PEM. */
export interface TestCertificate {
  readonly cert: string;
  readonly key: string;
}

/** The few DER forms that a certificate is made of (X.690); Node reads certificates but makes none. */
const der = (tag: number, ...parts: Uint8Array[]): Buffer => {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
};
const sequence = (...parts: Uint8Array[]) => der(0x30, ...parts);
const oid = (hex: string) => der(0x06, Buffer.from(hex, "hex"));
const text = (tag: number, value: string) => der(tag, Buffer.from(value));
const utcTime = (date: Date) => text(0x17, `${date.toISOString().replace(/\D/g, "").slice(2, 14)}Z`);

const ALGORITHMS = {
  ec: {
    newKeys: () => generateKeyPairSync("ec", { namedCurve: "P-256" }),
    signature: sequence(oid("2a8648ce3d040302")),
  },
  rsa: {
    newKeys: () => generateKeyPairSync("rsa", { modulusLength: 2_048 }),
    signature: sequence(oid("2a864886f70d01010b"), der(0x05)),
  },
} as const;
const COMMON_NAME = oid("550403");
const SUBJECT_ALT_NAME = oid("551d11");
const DAY_MS = 86_400_000;

export interface CertificateOptions {
  readonly fromDays?: number;
  readonly toDays?: number;
  readonly keyType?: keyof typeof ALGORITHMS;
  /** Whether it is for localhost alone, and not for 127.0.0.1. */
  readonly isNameOnly?: boolean;
}

/** Valid from yesterday to tomorrow, or from and to as many days from now as given. */
export function makeCertificate(options: CertificateOptions = {}): TestCertificate {
  const { fromDays = -1, toDays = 1, keyType = "ec", isNameOnly = false } = options;
  const { newKeys, signature: algorithm } = ALGORITHMS[keyType];
  const { publicKey, privateKey } = newKeys();
  // A name of its own: of several trusted ones with the same, OpenSSL looks at one only.
  const commonName = `latchkey test ${randomBytes(8).toString("hex")}`;
  const name = sequence(der(0x31, sequence(COMMON_NAME, text(0x0c, commonName))));
  const address = isNameOnly ? [] : [der(0x87, Buffer.from([127, 0, 0, 1]))];
  const altNames = sequence(text(0x82, "localhost"), ...address);
  const toSign = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1]), randomBytes(8)),
    algorithm,
    name,
    sequence(utcTime(new Date(Date.now() + fromDays * DAY_MS)), utcTime(new Date(Date.now() + toDays * DAY_MS))),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(sequence(SUBJECT_ALT_NAME, der(0x04, altNames)))),
  );
  const signature = der(0x03, Buffer.from([0]), sign("sha256", toSign, privateKey));
  const body = sequence(toSign, algorithm, signature).toString("base64");
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${body.replace(/.{64}/g, "$&\n")}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

export async function writeCertificate(dir: string, { cert, key }: TestCertificate): Promise<CertificateFiles> {
  const files = { certFile: join(dir, "cert.pem"), keyFile: join(dir, "key.pem") };
  await writeFile(files.certFile, cert);
  await writeFile(files.keyFile, key);
  return files;
}

/** Makes every client in this process accept servers with this certificate. */
export function trust({ cert }: TestCertificate): void {
  setDefaultCACertificates([...getCACertificates("default"), cert]);
}
