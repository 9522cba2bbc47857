import type { Socket } from "node:net";
import type { OverloadLimits, TrustedProxies } from "../../config/settings.ts";
import { parseAddress } from "../../domain/addresses/address.ts";
import { type AddressRange, isWithin } from "../../domain/addresses/address-range.ts";

export interface ConnectionBound {
  /** Most open connections of one address. 0: any number. */
  readonly max: number;
  /** Trusted proxies, whose connections are those of many clients. */
  readonly exempt: readonly AddressRange[];
  /** Called for each connection that is refused. */
  readonly onRefused: () => void;
}

/** The bound that the settings name, for one port. Each connection that is refused is an error of the port. */
export function connectionBound(
  { overload, trustedProxies }: { readonly overload: OverloadLimits; readonly trustedProxies: TrustedProxies },
  onError: (err: Error) => void,
): ConnectionBound {
  const max = overload.connectionsPerAddressMax;
  const tooMany = new Error(`an address has ${max} open connections, as many as CONNECTIONS_PER_ADDRESS_MAX allows`);
  return { max, exempt: trustedProxies.ranges, onRefused: () => onError(tooMany) };
}

/**
 * Returns a function that counts a new connection until it closes, or returns false if its address has too many. One client
 * could otherwise take all file descriptors of the process.
 */
export function countConnections({ max, exempt, onRefused }: ConnectionBound): (socket: Socket) => boolean {
  const open = new Map<string, number>();
  return (socket) => {
    const { remoteAddress: address } = socket;
    if (max === 0 || address === undefined || isExempt(address, exempt)) return true;
    const count = open.get(address) ?? 0;
    if (count >= max) {
      onRefused();
      return false;
    }
    open.set(address, count + 1);
    socket.once("close", () => {
      const left = (open.get(address) ?? 1) - 1;
      if (left === 0) open.delete(address);
      else open.set(address, left);
    });
    return true;
  };
}

function isExempt(text: string, exempt: readonly AddressRange[]): boolean {
  const address = exempt.length === 0 ? undefined : parseAddress(text.replace(/%.*/, ""));
  return address !== undefined && isWithin(address, exempt);
}
