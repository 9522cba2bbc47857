/** What one client, or one connection, can take of the server. */
export interface HttpLimits {
  /** Time for a whole request head, from the first byte of a connection or of the request. */
  readonly headersTimeoutMs: number;
  /** Time for a whole request. */
  readonly requestTimeoutMs: number;
  /** Time without a request after which a connection is closed. */
  readonly keepAliveTimeoutMs: number;
  /** Time in which a client takes nothing of an answer that waits to be sent, after which it is cut off. */
  readonly slowReaderTimeoutMs: number;
  /** Size of a request head. */
  readonly headerBytesMax: number;
  /** Header fields of a request. */
  readonly headerFieldsMax: number;
  /** Requests that wait on one HTTP/1.1 connection for answers before theirs; then no more are read. */
  readonly pipelinedMax: number;
  /** Requests under way on one HTTP/2 connection. */
  readonly streamsMax: number;
  /** Requests that one HTTP/2 connection may begin and cancel at once, and per second after that (CVE-2023-44487). */
  readonly resetsBurst: number;
  readonly resetsPerSecond: number;
  /** Pings and settings, which have to be acknowledged, on one HTTP/2 connection in `controlFramesWindowMs`. */
  readonly controlFramesMax: number;
  readonly controlFramesWindowMs: number;
  /** Invalid frames, and requests beyond `streamsMax`, of each of which an HTTP/2 connection survives so many. */
  readonly faultsMax: number;
}

export const HTTP_LIMITS: HttpLimits = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  // Above the 60 s after which common load balancers drop an idle connection, so that they drop it first.
  keepAliveTimeoutMs: 75_000,
  slowReaderTimeoutMs: 30_000,
  headerBytesMax: 16_384,
  headerFieldsMax: 128,
  pipelinedMax: 100,
  streamsMax: 100,
  resetsBurst: 200,
  resetsPerSecond: 50,
  controlFramesMax: 100,
  controlFramesWindowMs: 10_000,
  faultsMax: 100,
};
