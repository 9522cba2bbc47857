"use client";

export { LatchkeyProvider, type LatchkeyProviderProps, useLatchkey } from "./provider.ts";
export type { CallState } from "./use-call.ts";
export { type Conversation, type Sending, useConversation } from "./use-conversation.ts";
export { type Threads, type ThreadsPage, useThreads } from "./use-threads.ts";
