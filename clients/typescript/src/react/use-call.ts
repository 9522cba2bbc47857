import { useEffect, useReducer, useState } from "react";
import type { LatchkeyClient } from "../client.ts";
import { type Denial, denialOf } from "../denial.ts";
import { useLatchkey } from "./provider.ts";

/** How a call went that did not succeed: at most one of both is set. */
export interface Failure {
  /** Latchkey refused the call: `denial.reason` is why, such as `rate_limited`. */
  readonly denial: Denial | undefined;
  /** Anything else, such as a lost connection. */
  readonly error: Error | undefined;
}

/** What a component shows of a call. */
export interface CallState<T> extends Failure {
  /** The latest answer; undefined before the first one. It stays while it is read again, and when that fails. */
  readonly data: T | undefined;
  readonly isLoading: boolean;
  /** Reads it again. */
  readonly reload: () => void;
}

export const NO_FAILURE: Failure = { denial: undefined, error: undefined };

export function failureOf(err: unknown): Failure {
  const denial = denialOf(err);
  if (denial !== undefined) return { denial, error: undefined };
  return { denial: undefined, error: err instanceof Error ? err : new Error(String(err)) };
}

type Call<T> = (client: LatchkeyClient, signal: AbortSignal) => Promise<T>;

/** Calls at once, and again when the client or the key changes: the key says what is called. Unmounting ends the call. */
export function useCall<T>(call: Call<T>, key: string): CallState<T> {
  const client = useLatchkey();
  const [version, reload] = useReducer((before: number) => before + 1, 0);
  const [state, setState] = useState({ client, key, version: -1, data: undefined as T | undefined, ...NO_FAILURE });
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const settle = (of: { data: T } | Failure): void => {
      if (signal.aborted) return;
      setState((before) => {
        // The last data stays, unless it is of another call.
        const data = before.client === client && before.key === key ? before.data : undefined;
        return { data, ...NO_FAILURE, ...of, client, key, version };
      });
    };
    call(client, signal).then(
      (data) => settle({ data }),
      (err) => settle(failureOf(err)),
    );
    return () => controller.abort();
  }, [client, key, version]);
  // The state of another call is not shown for even one render.
  const isOfCall = state.client === client && state.key === key;
  const { data, denial, error } = isOfCall ? state : { data: undefined, ...NO_FAILURE };
  return { data, denial, error, isLoading: !isOfCall || state.version !== version, reload };
}
