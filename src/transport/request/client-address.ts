import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { TrustedProxies } from "../../config/settings.ts";
import { type Address, parseAddress } from "../../domain/addresses/address.ts";
import { isWithin } from "../../domain/addresses/address-range.ts";
import type { Incoming } from "./exchange.ts";
import { addressOfElement, addressOfNode, elementsFromRight } from "./forwarding-headers.ts";

/** Finds the addresses of clients, in canonical text. Null: not known. */
export interface ClientAddress {
  /** Of a request: its connection's, or what trusted proxies say. */
  of(req: Located): string | null;
  /**
   * Of a request that another one describes. Only a caller who is a trusted proxy itself is believed: behind a trusted proxy,
   * anyone may send a description. Of all others it is the caller's own.
   */
  ofDescribed(req: Located, described: DescribedRequest): string | null;
  /** Whether a trusted proxy has made a request itself, as far as is known, and no client behind it. */
  isProxys(req: Located): boolean;
  /** Whether a trusted proxy has made the connection of a request, whose headers may then be its own. */
  isFromProxy(req: Located): boolean;
  /** Of a connection of which no request was read. */
  ofSocket(socket: Duplex): string | null;
}

/** The parts of a request that say where it comes from. */
type Located = Pick<Incoming, "socket" | "rawHeaders"> & { readonly stream?: Incoming["stream"] | undefined };

/** A request as a proxy describes it. */
export interface DescribedRequest {
  /** In the form of Node's. */
  readonly rawHeaders: readonly string[];
  /** The address of the proxy's connection. Undefined: the proxy does not say it. */
  readonly peer: string | undefined;
}

/** What Node says of the other end of a connection. */
type RemoteEnd = Incoming["socket"];

/** The other end of a connection. */
interface Peer {
  readonly address: Address | undefined;
  readonly isTrusted: boolean;
}

const X_FORWARDED_FOR = "x-forwarded-for";
const FORWARDED = "forwarded";

/** The connections of HTTP/2 sessions. Node knows only the `TappedSocket` between them, which has no address. */
const SESSION_SOCKETS = new WeakMap<object, RemoteEnd>();

export function keepSessionSocket(session: object, socket: RemoteEnd): void {
  SESSION_SOCKETS.set(session, socket);
}

/**
 * Headers are read only of connections from `trusted.ranges`: anyone else could write any address (ADR 27). A connection's
 * address and its trust are found out once for each connection. `trustsUnnamed`: so are connections without an
 * address, which are those of a Unix socket that its file protects.
 */
export function createClientAddress(trusted: TrustedProxies, trustsUnnamed = false): ClientAddress {
  const peers = new WeakMap<object, Peer>();

  function peerOf(req: Located): Peer | undefined {
    const socket = socketOf(req);
    if (socket === undefined) return undefined;
    const known = peers.get(socket);
    if (known !== undefined) return known;
    const address = parseRemote(socket);
    const peer = { address, isTrusted: address === undefined ? trustsUnnamed : isWithin(address, trusted.ranges) };
    peers.set(socket, peer);
    return peer;
  }

  /** The last address that is not of a trusted proxy; with only trusted proxies, the first. Undefined: none is named. */
  function lastUntrusted(
    lines: readonly string[],
    peer: Address | undefined,
    parse: (element: string) => Address | undefined,
  ): Address | undefined {
    let nearest = peer;
    for (const element of elementsFromRight(lines)) {
      const hop = element === undefined ? undefined : parse(element);
      // A proxy did not know the address, or hides it. The proxy's own would be wrong: a key may be allowed for its network.
      if (hop === undefined) return undefined;
      nearest = hop;
      if (!isWithin(hop, trusted.ranges)) break;
    }
    return nearest;
  }

  function behind(peer: Address | undefined, rawHeaders: readonly string[]): Address | undefined {
    const forwardedFor = trusted.header === "Forwarded" ? [] : linesOf(X_FORWARDED_FOR, rawHeaders);
    const forwarded = trusted.header === "X-Forwarded-For" ? [] : linesOf(FORWARDED, rawHeaders);
    if (forwarded.length === 0) return lastUntrusted(forwardedFor, peer, addressOfNode);
    const said = lastUntrusted(forwarded, peer, addressOfElement);
    if (forwardedFor.length === 0 || lastUntrusted(forwardedFor, peer, addressOfNode)?.text === said?.text) return said;
    // One of both is the client's own, and nothing says which. The proxy's address would be wrong, too: a key may be allowed
    // for the proxy's network, and a client would be let in by a header that it adds.
    return undefined;
  }

  function locate(req: Located): Address | undefined {
    const peer = peerOf(req);
    return peer?.isTrusted === true ? behind(peer.address, req.rawHeaders) : peer?.address;
  }

  function isTrusted(address: Address | undefined): boolean {
    return address !== undefined && isWithin(address, trusted.ranges);
  }

  function locateDescribed(req: Located, { rawHeaders, peer }: DescribedRequest): Address | undefined {
    const caller = locate(req);
    if (!isTrusted(caller)) return caller;
    const client = peer === undefined ? caller : addressOfPeer(peer);
    return isTrusted(client) ? behind(client, rawHeaders) : client;
  }

  return {
    of: (req) => locate(req)?.text ?? null,
    ofDescribed: (req, described) => locateDescribed(req, described)?.text ?? null,
    isProxys: (req) => isTrusted(locate(req)),
    isFromProxy: (req) => peerOf(req)?.isTrusted === true,
    ofSocket: (socket) => (socket instanceof Socket ? (parseRemote(socket)?.text ?? null) : null),
  };
}

/** Over HTTP/2, `req.socket` would be another object for each request, and throw if the connection has ended. */
function socketOf(req: Located): RemoteEnd | undefined {
  if (req.stream === undefined) return req.socket;
  return req.stream.session && SESSION_SOCKETS.get(req.stream.session);
}

function parseRemote({ remoteAddress }: RemoteEnd): Address | undefined {
  return remoteAddress === undefined ? undefined : addressOfPeer(remoteAddress);
}

/** Node adds the zone to an address of a local link (`fe80::1%eth0`), and so may a proxy. */
function addressOfPeer(text: string): Address | undefined {
  return parseAddress(text.replace(/%.*/, ""));
}

/** All values of a header that say something, in the order of the request. */
function linesOf(name: string, rawHeaders: readonly string[]): string[] {
  const lines: string[] = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const sent = rawHeaders[i] ?? "";
    const value = rawHeaders[i + 1] ?? "";
    // The length rules out most names cheaply.
    if (sent.length === name.length && value !== "" && sent.toLowerCase() === name) lines.push(value);
  }
  return lines;
}
