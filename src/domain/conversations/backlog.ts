import { faultOf, type RequestFault } from "../vocabulary/request-fault.ts";

/** Maximum number of unfinished runs of one conversation: each poll of a worker has to skip all but the first of them. */
export const UNFINISHED_MAX = 5_000;

export function conversationFull(): RequestFault {
  return faultOf(
    "conversation_full",
    "conversation_key",
    `${UNFINISHED_MAX} messages of this conversation wait for a reply; wait for some before you send more`,
  );
}
