/** Limits on what one client, or one connection, can use of the server. */
export interface HttpLimits {
  /** Time for a complete request head, from the first byte of a connection or of the request. */
  readonly headersTimeoutMs: number;
  /** Time for a complete request. */
  readonly requestTimeoutMs: number;
  /** Time without a request after which a connection is closed. */
  readonly keepAliveTimeoutMs: number;
  /** Time in which a client reads nothing of a pending answer, after which it is disconnected. */
  readonly slowReaderTimeoutMs: number;
  /** Maximum size of a request head. */
  readonly headerBytesMax: number;
  /** Maximum number of header fields of a request. */
  readonly headerFieldsMax: number;
  /** Requests on one HTTP/1.1 connection that may wait for earlier answers. Beyond it, no more are read. */
  readonly pipelinedMax: number;
  /** Requests in progress on one HTTP/2 connection, by its client's count. */
  readonly streamsMax: number;
  /** Requests that one HTTP/2 connection may begin and cancel in a burst, and then per second (CVE-2023-44487). */
  readonly resetsBurst: number;
  readonly resetsPerSecond: number;
  /**
   * PING and SETTINGS frames, which we must acknowledge, on one HTTP/2 connection in `controlFramesWindowMs`, beyond one for
   * each request and one for each DATA frame sent.
   */
  readonly controlFramesMax: number;
  readonly controlFramesWindowMs: number;
  /** Invalid frames that an HTTP/2 connection may send before it is closed; also, requests beyond twice `streamsMax`. */
  readonly faultsMax: number;
  /** Time for connected clients to send one more request when the port closes: one may be on its way. */
  readonly lastRequestMs: number;
}

export const HTTP_LIMITS: HttpLimits = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  // Common load balancers drop an idle connection after 60 s. A longer time lets them drop it first.
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
  lastRequestMs: 500,
};
