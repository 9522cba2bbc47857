import { parseForeignJson } from "../vocabulary/foreign-json.ts";
import { isJsonObject } from "../vocabulary/json-object.ts";

/** Three parts, or the five of an encrypted token, of which all but the first may be empty. */
const PARTS = /^[\w-]+(?:\.[\w-]*){2}(?:(?:\.[\w-]*){2})?$/;

/** Whether a text is a JWT by its form: keys of other systems, such as `SG.x.y`, have dots, too, but no header. */
export function looksLikeJwt(text: string): boolean {
  if (!PARTS.test(text)) return false;
  const header = Buffer.from(text.slice(0, text.indexOf(".")), "base64url").toString();
  try {
    return isJsonObject(parseForeignJson(header));
  } catch {
    return false;
  }
}
