import { createConnection } from "node:net";
import { connect as connectTls } from "node:tls";
import { AbstractConnector, type RedisOptions, SentinelConnector } from "ioredis";

/** How long a socket may take to end before it is destroyed. */
const DISCONNECT_MS = 2_000;

type Stream = Awaited<ReturnType<AbstractConnector["connect"]>>;

/**
 * A TLS socket may emit a second `error`, such as an alert that arrives after its certificate was rejected. ioredis listens to
 * only the first one, and the second would end the process. A cluster's client copies this option to each of its connections,
 * also to those that only read the slots.
 */
export class ServerConnector extends AbstractConnector {
  readonly #options: RedisOptions;

  /** `options` are `RedisOptions`: the type that ioredis has for connectors says less. */
  constructor(options: unknown) {
    super(DISCONNECT_MS);
    this.#options = options as RedisOptions;
  }

  override async connect(): Promise<Stream> {
    const { host = "localhost", port = 6379, family, tls } = this.#options;
    const address = { host, port, ...(family !== undefined && { family }) };
    this.connecting = true;
    this.stream = tls ? connectTls({ ...address, ...tls }) : createConnection(address);
    this.stream.once("error", (err) => {
      this.firstError = err;
    });
    return outlivesLateErrors(this.stream);
  }
}

/** The same for the primary that sentinels name, and for the connections to the sentinels. */
export class PrimaryConnector extends SentinelConnector {
  constructor(options: unknown) {
    super(options as RedisOptions);
    // ioredis has no option for them.
    const connect: (...args: unknown[]) => object = Reflect.get(this, "connectToSentinel");
    Reflect.set(this, "connectToSentinel", (endpoint: unknown, overrides?: object) =>
      connect.call(this, endpoint, { Connector: ServerConnector, ...overrides }),
    );
  }

  override async connect(...args: Parameters<SentinelConnector["connect"]>): Promise<Stream> {
    return outlivesLateErrors(await super.connect(...args));
  }
}

function outlivesLateErrors(stream: Stream): Stream {
  return stream.on("error", () => {});
}
