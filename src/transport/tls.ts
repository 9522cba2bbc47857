import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";

/** What a port needs to speak TLS: the certificate with its chain, and its private key, as PEM. */
export interface Certificate {
  readonly cert: Buffer;
  readonly key: Buffer;
}

export interface CertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** A file that cannot be used. `file` tells which; `message` is public and has nothing of its content. */
export class CertificateFault extends Error {
  override readonly name = "CertificateFault";
  readonly file: keyof CertificateFiles;

  constructor(file: keyof CertificateFiles, problem: string, options: { cause?: unknown } = {}) {
    super(problem, options);
    this.file = file;
  }
}

/** Reads a certificate and its key, and checks that they are such and belong together. Throws `CertificateFault`. */
export function readCertificate(files: CertificateFiles): Certificate {
  const cert = readPem(files, "certFile");
  const key = readPem(files, "keyFile");
  const certificate = parse("certFile", "must name a PEM file with a certificate", () => new X509Certificate(cert));
  const privateKey = parse("keyFile", "must name a PEM file with a private key without a passphrase", () =>
    createPrivateKey(key),
  );
  if (!certificate.checkPrivateKey(privateKey))
    throw new CertificateFault("keyFile", "must name the private key of the certificate in TLS_CERT_FILE");
  return { cert, key };
}

function readPem(files: CertificateFiles, file: keyof CertificateFiles): Buffer {
  return parse(file, "must name a file that can be read", () => readFileSync(files[file]));
}

function parse<T>(file: keyof CertificateFiles, problem: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new CertificateFault(file, problem, { cause });
  }
}
