import type { ListThreadsResponse } from "../gen/latchkey/v1/gateway_service_pb.ts";
import { type CallState, useCall } from "./use-call.ts";

export interface ThreadsPage {
  /** From 1. Default: 1. */
  readonly page?: number | undefined;
  /** At most 100. Default: 20. */
  readonly perPage?: number | undefined;
}

export type Threads = CallState<ListThreadsResponse>;

/** The user's conversations, latest first. */
export function useThreads({ page = 1, perPage = 20 }: ThreadsPage = {}): Threads {
  return useCall(({ gateway }, signal) => gateway.listThreads({ page, perPage }, { signal }), `${page} ${perPage}`);
}
