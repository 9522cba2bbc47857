import type { Transport } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";

/** A way to speak to the service: a protocol of RPC over a version of HTTP. */
export interface Wire {
  readonly name: string;
  readonly secure: boolean;
  transport(url: string): Transport;
}

interface Connection {
  readonly name: string;
  readonly secure: boolean;
  readonly httpVersion: "1.1" | "2";
}

const CONNECTIONS: readonly Connection[] = [
  { name: "HTTP/1.1", secure: false, httpVersion: "1.1" },
  { name: "cleartext HTTP/2", secure: false, httpVersion: "2" },
  { name: "HTTP/1.1 with TLS", secure: true, httpVersion: "1.1" },
  { name: "HTTP/2 with TLS", secure: true, httpVersion: "2" },
];

/** Every protocol over every version of HTTP that it is defined for, with and without TLS. */
export const WIRES: readonly Wire[] = CONNECTIONS.flatMap(({ name, secure, httpVersion }) => {
  const wires: [protocol: string, transport: (baseUrl: string, useBinaryFormat: boolean) => Transport][] = [
    ["Connect", (baseUrl, useBinaryFormat) => createConnectTransport({ baseUrl, httpVersion, useBinaryFormat })],
    ["gRPC-Web", (baseUrl, useBinaryFormat) => createGrpcWebTransport({ baseUrl, httpVersion, useBinaryFormat })],
  ];
  if (httpVersion === "2")
    wires.push(["gRPC", (baseUrl, useBinaryFormat) => createGrpcTransport({ baseUrl, useBinaryFormat })]);
  return wires.flatMap(([protocol, create]) =>
    [true, false].map((isBinary) => ({
      name: `${protocol} in ${isBinary ? "binary" : "JSON"} over ${name}`,
      secure,
      transport: (url: string) => create(url, isBinary),
    })),
  );
});
