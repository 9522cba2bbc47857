import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import type { CertificateFiles } from "./settings.ts";

/** The TLS settings of a port: the certificate with its chain, and its private key, as PEM. */
export interface Certificate {
  readonly cert: Buffer;
  readonly key: Buffer;
  /** The subject, on one line: `CN=api.example.com`. */
  readonly subject: string;
  readonly validFrom: Date;
  readonly validTo: Date;
}

const VARIABLES = { certFile: "TLS_CERT_FILE", keyFile: "TLS_KEY_FILE" } as const;

/** A file that cannot be used. `variable` names it. `problem` is public and contains nothing of the file. */
export class CertificateFault extends Error {
  override readonly name = "CertificateFault";
  readonly variable: (typeof VARIABLES)[keyof CertificateFiles];
  readonly problem: string;

  constructor(file: keyof CertificateFiles, problem: string, options: { cause?: unknown } = {}) {
    super(`${VARIABLES[file]} ${problem}`, options);
    this.variable = VARIABLES[file];
    this.problem = problem;
  }
}

/** Reads a certificate and its key, and checks that they belong together. Throws `CertificateFault`. */
export function readCertificate(files: CertificateFiles): Certificate {
  const cert = readPem(files, "certFile");
  const key = readPem(files, "keyFile");
  const certificate = parse("certFile", "must name a PEM file with a certificate", () => new X509Certificate(cert));
  const privateKey = parse("keyFile", "must name a PEM file with a private key without a passphrase", () =>
    createPrivateKey(key),
  );
  if (!certificate.checkPrivateKey(privateKey))
    throw new CertificateFault("keyFile", "must name the private key of the certificate in TLS_CERT_FILE");
  return {
    cert,
    key,
    subject: certificate.subject?.replaceAll("\n", ", ") ?? "",
    validFrom: certificate.validFromDate,
    validTo: certificate.validToDate,
  };
}

/** Why clients refuse a certificate at an instant, as the end of a sentence. Undefined: they do not. */
export function validityProblem({ validFrom, validTo }: Certificate, now: Date): string | undefined {
  if (now > validTo) return `must name a certificate that is valid now; this one ended at ${validTo.toISOString()}`;
  if (now < validFrom)
    return `must name a certificate that is valid now; this one begins at ${validFrom.toISOString()}`;
  return undefined;
}

/** Reads a renewed certificate. Throws if it is not valid now: the current one may be better. */
export function readRenewal(files: CertificateFiles, now: Date): Certificate {
  const certificate = readCertificate(files);
  const problem = validityProblem(certificate, now);
  if (problem !== undefined) throw new CertificateFault("certFile", problem);
  return certificate;
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
