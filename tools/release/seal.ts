import { createHash, generateKeyPairSync, sign } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Release } from "./release.ts";

/**
 * Writes SHA256SUMS, which `sha256sum -c` reads, and signs it with a key that is thrown away, in place of the workflow's identity:
 * `cosign verify-blob --key cosign.pub --signature SHA256SUMS.sig --insecure-ignore-tlog SHA256SUMS`.
 */
export function seal({ out }: Release): void {
  const files = readdirSync(out, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name).slice(out.length + 1)).sort();
  const sums = paths.map((path) => `${sumOf(join(out, path))}  ${path}\n`).join("");
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  writeFileSync(join(out, "SHA256SUMS"), sums);
  writeFileSync(join(out, "SHA256SUMS.sig"), sign("sha256", Buffer.from(sums), privateKey).toString("base64"));
  writeFileSync(join(out, "cosign.pub"), publicKey.export({ type: "spki", format: "pem" }));
}

function sumOf(path: string): string {
  return createHash("sha256").update(readFileSync(path)).digest("hex");
}
