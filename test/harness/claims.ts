import { request } from "node:http";
import { connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";
import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { CheckRequestSchema } from "../../gen/envoy/service/auth/v3/external_auth_pb.ts";

/** The proxy of TRUSTED_PROXIES, and someone else who reaches the port. */
export const PROXY = "127.0.0.1";
export const STRANGER = "127.0.0.9";
/** A client of the proxy. */
export const CLIENT = "192.0.2.66";
/** The only address that the tests' keys allow. */
export const INSIDE = "203.0.113.7";
/** The host that is claimed. */
export const CLAIMED_HOST = "claimed.example";

/** Every header by which a proxy may say from where, for which host and for which request its client calls. */
export const CLAIMS: Readonly<Record<string, string>> = {
  host: CLAIMED_HOST,
  forwarded: `for=${INSIDE};host=${CLAIMED_HOST};proto=https`,
  "x-real-ip": INSIDE,
  "x-client-ip": INSIDE,
  "x-cluster-client-ip": INSIDE,
  "true-client-ip": INSIDE,
  "cf-connecting-ip": INSIDE,
  "fastly-client-ip": INSIDE,
  "x-envoy-external-address": INSIDE,
  "x-original-forwarded-for": INSIDE,
  "x-forwarded-method": "GET",
  "x-forwarded-proto": "https",
  "x-forwarded-port": "443",
  "x-forwarded-host": CLAIMED_HOST,
  "x-forwarded-uri": "/plans",
  "x-original-method": "GET",
  "x-original-url": `https://${CLAIMED_HOST}/plans`,
  "x-original-host": CLAIMED_HOST,
  "x-forwarded-origin": "https://app.example",
  "x-original-origin": "https://app.example",
  referer: "https://app.example/",
};

export interface Sent {
  readonly url: string;
  readonly path: string;
  readonly method: "GET" | "POST";
  /** The address from which it is sent. */
  readonly from: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
}

export interface Received {
  readonly status: number;
  /** Headers and body as text. */
  readonly text: string;
}

/** Over HTTP/1.1, on a connection from an address of this machine. */
export function sendHttp1({ url, path, method, from, headers, body = "" }: Sent): Promise<Received> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const place = { host: hostname, port, path, method, localAddress: from, agent: false as const };
    const req = request({ ...place, headers }, (res) => {
      let text = JSON.stringify(res.rawHeaders);
      res.setEncoding("utf8").on("data", (chunk) => {
        text += chunk;
      });
      res.on("end", () => resolve({ status: res.statusCode ?? 0, text }));
    });
    req.on("error", reject).end(body);
  });
}

/** Over HTTP/2, until the head of the answer has come, and what follows it within the same turn: some calls never end. */
export function sendHttp2({ url, path, method, from, headers: { host = "", ...headers }, body = "" }: Sent) {
  const { hostname, port } = new URL(url);
  const session = connectHttp2(url, {
    createConnection: () => connect({ host: hostname, port: Number(port), localAddress: from }),
  });
  const answered = new Promise<Received>((resolve, reject) => {
    session.on("error", reject);
    const authority = host === "" ? {} : { ":authority": host };
    const stream = session.request({ ":method": method, ":path": path, ...authority, ...headers });
    let text = "";
    let status = 0;
    stream.on("response", (head) => {
      status = head[":status"] ?? 0;
      text += JSON.stringify(head);
      setImmediate(() => stream.close(8));
    });
    stream.on("trailers", (trailers) => {
      text += JSON.stringify(trailers);
    });
    stream.setEncoding("latin1").on("data", (chunk) => {
      text += chunk;
    });
    stream.on("close", () => resolve({ status, text }));
    stream.on("error", () => resolve({ status, text }));
    stream.end(body);
  });
  return answered.finally(() => session.close());
}

/** A message in the envelope of gRPC. */
export function enveloped(message: Uint8Array): Uint8Array {
  const envelope = Buffer.alloc(5 + message.byteLength);
  envelope.writeUInt32BE(message.byteLength, 1);
  envelope.set(message, 5);
  return envelope;
}

/** What an Envoy says of a call: from where its connection came, and with which headers. */
export function describedByEnvoy(source: string | undefined, headers: Readonly<Record<string, string>>): Uint8Array {
  const http = { method: "GET", scheme: "https", host: CLAIMED_HOST, path: "/plans", headers };
  const attributes: MessageInitShape<typeof CheckRequestSchema>["attributes"] = {
    request: { http },
    ...(source !== undefined && { source: { address: { socketAddress: { address: source } } } }),
  };
  return enveloped(toBinary(CheckRequestSchema, create(CheckRequestSchema, { attributes })));
}
