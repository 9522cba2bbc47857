import { RequestFault } from "../request-fault.ts";

/** Most runs of one conversation that are unfinished: workers look past all but the first of them whenever they look. */
export const UNFINISHED_MAX = 5_000;

export function conversationFull(): RequestFault {
  return new RequestFault(
    "failed_precondition",
    `conversation_key: ${UNFINISHED_MAX} messages of this conversation wait for a reply; wait for some before you send more`,
  );
}
