import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Latchkey, startLatchkey } from "./latchkey.ts";
import { makeCertificate, trust, writeCertificate } from "./test-certificate.ts";

/** A service of one's own that speaks TLS, with a certificate that every client in this process accepts. */
export async function startSecureLatchkey(): Promise<Latchkey> {
  const certificate = makeCertificate();
  trust(certificate);
  const dir = await mkdtemp(join(tmpdir(), "latchkey-tls-"));
  const latchkey = await startLatchkey({ config: { tls: await writeCertificate(dir, certificate) } });
  return {
    ...latchkey,
    async close() {
      await latchkey.close();
      await rm(dir, { recursive: true });
    },
  };
}
