import type { Call } from "../../interceptors/call.ts";
import { BODY_BYTES_MAX } from "./body.ts";

/** The facts that decide whose a body is. */
export type BodyCall = Pick<Call, "address" | "verdict" | "heldBody">;

/** The body of one request, as far as it is in memory. */
export interface HeldBody {
  /** Counts bytes that are about to be kept. False: their caller has too many, or the request has been answered. */
  take(bytes: number): boolean;
  /** Its bytes were dropped. */
  drop(): void;
}

/** Counts the bytes of bodies that do not arrive together with their head, from the first on until their request is answered. */
export interface HeldBodies {
  /** Bytes that are held now. */
  readonly bytes: number;
  /** Begins to count the body of a call, until the call's `heldBody` is ended. */
  begin(call: BodyCall): HeldBody;
}

/** Part of the bytes for callers that are not accepted yet. The rest stays for the others, whatever strangers send. */
const STRANGERS_PART = 1 / 4;

/**
 * Bounds the memory of request bodies. Callers that are not accepted have a part of it, each address by itself; accepted ones
 * have the rest, each tenant by itself. In both parts no holder has more than is left free, as with places (`shares.ts`): one
 * has half, two have a third each, and there is always something for another.
 *
 * A bound for each body would not do: a thousand connections that each leave a megabyte unfinished hold a gigabyte.
 *
 * `max`: 0 is any number. Each part has room for two of the largest bodies at least.
 */
export function createHeldBodies(max: number): HeldBodies {
  const strangers = createPool(max === 0 ? 0 : partOf(max, STRANGERS_PART));
  const accepted = createPool(max === 0 ? 0 : partOf(max, 1 - STRANGERS_PART));
  return {
    get bytes() {
      return strangers.bytes + accepted.bytes;
    },
    begin(call) {
      const tenant = acceptedLine(call);
      const body = tenant === undefined ? new Held(strangers, `address ${call.address}`) : new Held(accepted, tenant);
      call.heldBody = body;
      return body;
    },
  };
}

function partOf(max: number, part: number): number {
  return Math.max(max * part, 2 * BODY_BYTES_MAX);
}

/**
 * A tenant's users, its keys and its app's users have a line each: anyone may be one of the last. Undefined: the caller is not accepted,
 * or belongs to no tenant.
 */
function acceptedLine({ verdict }: BodyCall): string | undefined {
  const principal = verdict?.principal;
  if (principal?.kind === "operator") return principal.kind;
  const tenantId = principal?.tenantId ?? null;
  return tenantId === null ? undefined : `${principal?.kind} ${tenantId}`;
}

interface Pool {
  readonly bytes: number;
  /** False: there is not enough for the line. */
  take(line: string, bytes: number): boolean;
  give(line: string, bytes: number): void;
}

/** Lines without bytes that a pool keeps: most get some again, and to remove and add them for each request costs more. */
const EMPTY_LINES_MAX = 1_000;

function createPool(max: number): Pool {
  const lines = new Map<string, number>();
  let total = 0;
  return {
    get bytes() {
      return total;
    },
    take(line, bytes) {
      const own = (lines.get(line) ?? 0) + bytes;
      if (max > 0 && own > max - total - bytes) return false;
      lines.set(line, own);
      total += bytes;
      return true;
    },
    give(line, bytes) {
      const left = (lines.get(line) ?? 0) - bytes;
      if (left > 0 || lines.size <= EMPTY_LINES_MAX) lines.set(line, left);
      else lines.delete(line);
      total -= bytes;
    },
  };
}

class Held implements HeldBody {
  readonly #pool: Pool;
  readonly #line: string;
  #bytes = 0;
  #isEnded = false;

  constructor(pool: Pool, line: string) {
    this.#pool = pool;
    this.#line = line;
  }

  take(bytes: number): boolean {
    if (this.#isEnded || !this.#pool.take(this.#line, bytes)) return false;
    this.#bytes += bytes;
    return true;
  }

  drop(): void {
    if (this.#bytes > 0) this.#pool.give(this.#line, this.#bytes);
    this.#bytes = 0;
  }

  end(): void {
    this.drop();
    this.#isEnded = true;
  }
}
