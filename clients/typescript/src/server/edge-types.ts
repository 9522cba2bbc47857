/** What `@latchkey/client/edge` exports: the service's own decisions, in this process. Guards load it where they have an `edge`. */

/** Where an edge follows. */
export interface EdgeConfig {
  readonly baseUrl: string;
  readonly token: string;
  /** Called when the service is lost, and with what should not have happened. */
  readonly onError?: ((err: unknown) => void) | undefined;
}

/** The state of an edge. */
export interface EdgeStatus {
  /** Whether it follows a replica now. */
  readonly isConnected: boolean;
  /** For how many ms it may decide from now on, if nothing more arrives. 0: the service is asked. */
  readonly leaseMs: number;
  /** How many records it has, of keys and tenants: 50,000 at most. */
  readonly records: number;
  /** What they take, estimated. */
  readonly recordBytes: number;
  /** How long the last lease took to arrive, in ms. Undefined: none has. */
  readonly lagMs: number | undefined;
  /** Calls that it has decided. */
  readonly decided: number;
  /** Calls that were put to the service: without a key, without a lease, or because it could not decide. */
  readonly asked: number;
  /** Why it decides nothing although it is connected. Undefined: it does. */
  readonly problem: string | undefined;
}

/** A call to decide on. */
export interface EdgeQuestion {
  /** Names and values in turns. */
  readonly headers: readonly string[];
  readonly scopes: readonly string[];
  readonly cost: number | undefined;
}

/** What was decided. `headers`: names and values in turns. */
export type EdgeVerdict =
  | { readonly kind: "admitted"; readonly caller: EdgeCaller; readonly headers: readonly string[] }
  | { readonly kind: "refused"; readonly status: number; readonly headers: readonly string[]; readonly body: string };

export interface EdgeCaller {
  readonly kind: "secret_key" | "publishable_key";
  readonly tenantId: string;
  readonly keyId: string;
  readonly userId: string | undefined;
  readonly permissions: readonly string[];
  readonly actingFor: string | undefined;
  readonly externalId: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>> | undefined;
}

export interface Edge {
  /** Undefined: the service must be asked. */
  verify(question: EdgeQuestion): EdgeVerdict | undefined | Promise<EdgeVerdict | undefined>;
  readonly status: EdgeStatus;
  /** Resolves when it has begun to follow, or after so many ms. */
  ready(timeoutMs: number): Promise<void>;
  /** Reports what it has decided, gives back what it has not spent, and ends. */
  close(): Promise<void>;
}

export declare function createEdge(config: EdgeConfig): Edge;
