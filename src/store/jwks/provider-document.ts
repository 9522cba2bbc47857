import type { JwksOwner } from "../../domain/tokens/claims.ts";
import type { FetchedDocument } from "../../domain/tokens/provider-metadata.ts";
import { parseForeignJson } from "../../domain/vocabulary/foreign-json.ts";
import { hasMoreParts } from "../../domain/vocabulary/json-parts.ts";
import { keySetProblem } from "./key-set-problem.ts";
import type { SafeFetch } from "./safe-fetch.ts";

/** Maximum number of parts of a document; see `PARTS_MAX` of key sets. Real ones have a few hundred. */
const PARTS_MAX = 10_000;

/** Fetches a provider's JSON document. Never rejects. */
export async function fetchDocument(
  fetchText: SafeFetch["fetchText"],
  url: string,
  owner: JwksOwner,
): Promise<FetchedDocument> {
  let text: string;
  try {
    text = await fetchText(url, owner);
  } catch (err) {
    return { problem: keySetProblem(err) };
  }
  if (hasMoreParts(Buffer.from(text), PARTS_MAX)) {
    return { problem: `the answer has more than ${PARTS_MAX} of the characters { [ : , outside of strings` };
  }
  try {
    return { document: parseForeignJson(text) };
  } catch {
    return { problem: "the answer is not JSON" };
  }
}
