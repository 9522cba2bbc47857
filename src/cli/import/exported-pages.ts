import type { ExportedKey, LatchkeyClient } from "../../../clients/typescript/src/index.ts";
import { repeated } from "../repeated-call.ts";

const KEYS_MAX = 1_000;

/** All keys of the service with their hashes, page by page, the oldest first. */
export async function* exportedPages(
  { operator }: LatchkeyClient,
  signal: AbortSignal,
): AsyncGenerator<readonly ExportedKey[]> {
  let pageToken = "";
  do {
    const call = () => operator.exportKeys({ perPage: KEYS_MAX, pageToken });
    const page = await repeated(call, signal);
    yield page.keys;
    pageToken = page.nextPageToken;
  } while (pageToken !== "" && !signal.aborted);
}
