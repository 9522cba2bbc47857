import { once } from "node:events";
import { get } from "node:https";
import { TLSSocket } from "node:tls";

/** The fingerprint of the certificate that a server shows. GETs over a new TLS connection to a server whose certificate no authority has signed. */
export async function secureGet(url: string): Promise<{ certificate: string }> {
  const [answer] = await once(get(url, { rejectUnauthorized: false, agent: false }), "response");
  const { socket } = answer;
  if (!(socket instanceof TLSSocket)) throw new Error("the connection is in cleartext");
  const certificate = socket.getPeerCertificate().fingerprint256;
  answer.resume();
  return { certificate };
}
