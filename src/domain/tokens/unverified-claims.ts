import { parseForeignJson } from "../vocabulary/foreign-json.ts";
import { isJsonObject } from "../vocabulary/json-object.ts";
import type { Claims } from "./claims.ts";

/** The claims of a text, without any check: only to find out whose token it is. None, if it is not a token. */
export function unverifiedClaims(text: string): Claims {
  const [, payload64 = ""] = text.split(".", 2);
  try {
    const claims = parseForeignJson(Buffer.from(payload64, "base64url").toString());
    return isJsonObject(claims) ? claims : {};
  } catch {
    return {};
  }
}
