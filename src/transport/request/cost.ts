import { type DescMethod, isMessage, type Message } from "@bufbuild/protobuf";
import { AuthService, VerifyRequestSchema } from "../../../gen/latchkey/v1/auth_service_pb.ts";
import type { Call } from "../../interceptors/call.ts";
import type { BodyFlags } from "./body.ts";

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

/** The cost in a query. Undefined: it is none. */
export function parseCost(text: string): number | undefined {
  return /^[1-9]\d{0,3}$/.test(text) && isCost(Number(text)) ? Number(text) : undefined;
}

/**
 * Reads the body of a call when the gate needs its cost, and returns what reads it otherwise. A body at fault costs 1, and
 * its fault is thrown by the returned function, in its turn in the order of checks.
 */
export function readForCost<Body>(
  call: Call,
  read: (flags: BodyFlags) => Promise<Body>,
  messageOf: (body: Body) => Message,
): () => Promise<Body> {
  const flags: BodyFlags = {};
  let reading: Promise<Body> | undefined;
  call.readCost = () => {
    reading = read(flags);
    return reading.then((body) => costOf(messageOf(body))).catch(() => 1);
  };
  return async () => {
    try {
      return await (reading ?? read(flags));
    } finally {
      if (flags.isBodyTooLarge) call.isBodyTooLarge = true;
    }
  };
}

function isCost(cost: number | undefined): cost is number {
  return cost !== undefined && cost >= 1 && cost <= COST_MAX;
}
