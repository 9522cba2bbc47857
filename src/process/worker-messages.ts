/** From a worker to the supervisor. */
export type FromWorker =
  /** It serves. */
  | { readonly kind: "started" }
  /** A scrape wants the metrics of all workers. */
  | { readonly kind: "metrics"; readonly id: number }
  /** This worker's own, as JSON. */
  | { readonly kind: "report"; readonly id: number; readonly report: unknown };

/** From the supervisor to a worker. */
export type ToWorker =
  | { readonly kind: "report"; readonly id: number }
  | { readonly kind: "metrics"; readonly id: number; readonly text: string };

/** Node's own messages have no `latchkey`. */
const MARK = "latchkey";

/** A message as it is sent. */
export function marked(message: ToWorker): object {
  return { [MARK]: message };
}

/** For a worker. */
export function sendToSupervisor(message: FromWorker): void {
  process.send?.({ [MARK]: message });
}

/** Undefined: a message of Node's. Only processes of this build send marked ones. */
export function unmarked<Message extends FromWorker | ToWorker>(message: unknown): Message | undefined {
  if (typeof message !== "object" || message === null || !(MARK in message)) return undefined;
  return message[MARK] as Message;
}
