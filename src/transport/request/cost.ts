import { type DescMethod, isMessage, type Message } from "@bufbuild/protobuf";
import { AuthService, VerifyRequestSchema } from "../../../gen/latchkey/v1/auth_service_pb.ts";
import type { Awaitable } from "../../domain/vocabulary/awaitable.ts";
import type { Call, CostReader } from "../../interceptors/call.ts";
import type { BodyOwner } from "./body.ts";

const COST_MAX = 1_000;
export const MUST_BE_COST = `must be an integer from 1 to ${COST_MAX.toLocaleString("en")}`;

/** Whether messages of this RPC say as how many requests the call counts. */
export function namesCost(method: DescMethod): boolean {
  return method === AuthService.method.verify;
}

/** As how many requests a call with this message counts. A wrong cost counts as 1; the rules of the proto reject it. */
function costOf(message: Message): number {
  return isMessage(message, VerifyRequestSchema) && isCost(message.cost) ? message.cost : 1;
}

/** The cost in a query. Undefined: not a cost. */
export function parseCost(text: string): number | undefined {
  return /^[1-9]\d{0,3}$/.test(text) && isCost(Number(text)) ? Number(text) : undefined;
}

/**
 * Reads the body of a call once: when the gate needs its cost, or else when it is the body's turn in the order of checks. A
 * body at fault costs 1, and its fault is thrown in its turn.
 *
 * A class, since V8 allocates a function literal that is assigned to a member in the old generation, together with the
 * request that it holds: each request would be garbage that only a full collection frees.
 */
export class BodyReader<Body> implements CostReader, BodyOwner {
  /** Set while the body is read; the call has it from the body's turn on. */
  isBodyTooLarge: true | undefined;
  readonly call: Call;
  readonly #read: (owner: BodyReader<Body>) => Awaitable<Body>;
  readonly #messageOf: (body: Body) => Message;
  #reading: Awaitable<Body> | undefined;
  #fault: unknown;

  constructor(call: Call, read: (owner: BodyReader<Body>) => Awaitable<Body>, messageOf: (body: Body) => Message) {
    this.call = call;
    this.#read = read;
    this.#messageOf = messageOf;
  }

  readCost(): Awaitable<number> {
    try {
      const reading = this.#read(this);
      this.#reading = reading;
      if (!(reading instanceof Promise)) return costOf(this.#messageOf(reading));
      return reading.then((body) => costOf(this.#messageOf(body))).catch(() => 1);
    } catch (err) {
      this.#fault = err;
      return 1;
    }
  }

  body(): Awaitable<Body> {
    if (this.#fault !== undefined) throw this.#fault;
    this.#reading ??= this.#read(this);
    const reading = this.#reading;
    return reading instanceof Promise ? this.#inTurn(reading) : reading;
  }

  async #inTurn(reading: Promise<Body>): Promise<Body> {
    try {
      return await reading;
    } finally {
      if (this.isBodyTooLarge) this.call.isBodyTooLarge = true;
    }
  }
}

export function isCost(cost: number | undefined): cost is number {
  return cost !== undefined && Number.isInteger(cost) && cost >= 1 && cost <= COST_MAX;
}
