/** One attempt to send an event. */
export interface WebhookRequest {
  /** Whose URL it is: each tenant has a limited number of attempts under way. */
  readonly tenantId: string;
  readonly url: string;
  /** The body, at most 64 KiB. */
  readonly body: string;
  /** The header `webhook-id`. */
  readonly eventId: string;
  /** All that sign: the current one, and for a day after a rotation the previous one. None: it cannot be read, and nothing is sent. */
  readonly secrets: readonly string[];
}

/** What came back. */
export interface WebhookAnswer {
  /** Null: no answer, see `error`. */
  readonly status: number | null;
  readonly durationMs: number;
  /** The first 1,024 bytes of the body. Null: no answer. */
  readonly answer: string | null;
  /** Why there was no answer, in a sentence that the tenant may see. Null: there was one. */
  readonly error: string | null;
}

/** Sends events. Never throws for what the endpoint does. */
export interface WebhookSender {
  send(request: WebhookRequest): Promise<WebhookAnswer>;
}

/** Whether the answer delivers the event: a 2xx. */
export function isDelivered({ status }: Pick<WebhookAnswer, "status">): boolean {
  return status !== null && status >= 200 && status < 300;
}

/** Longest body that is sent. */
export const EVENT_BYTES_MAX = 65_536;
