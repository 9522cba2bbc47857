/** More messages than this wait only for a client that does not read: its stream is ended. */
const WAITING_MAX = 10_000;

/** Messages of a stream, in the order in which they were put in. */
export interface Channel<Message> {
  put(message: Message): void;
  /** Ends the messages after those that are in it. */
  end(): void;
  /** Whether it takes no more. */
  readonly isEnded: boolean;
  readonly messages: AsyncIterable<Message>;
}

export function createChannel<Message>(): Channel<Message> {
  let waiting: Message[] = [];
  let isEnded = false;
  let wake = (): void => {};

  async function* read(): AsyncGenerator<Message> {
    for (;;) {
      const next = waiting;
      waiting = [];
      yield* next;
      if (waiting.length > 0) continue;
      if (isEnded) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }

  return {
    put(message) {
      if (isEnded) return;
      if (waiting.length >= WAITING_MAX) isEnded = true;
      else waiting.push(message);
      wake();
    },
    end() {
      isEnded = true;
      wake();
    },
    get isEnded() {
      return isEnded;
    },
    messages: read(),
  };
}
