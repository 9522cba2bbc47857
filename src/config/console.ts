import { isSameAudience } from "../domain/tokens/same-audience.ts";
import type { Reader } from "./reader.ts";
import type { ConsoleConfig } from "./settings.ts";

const SCOPE_DEFAULT = "openid profile email offline_access";
/** What the console sets itself; of another value the sign-in would fail, or not be the one that was begun. */
const OWN_PARAMETERS = [
  "client_id",
  "code_challenge",
  "code_challenge_method",
  "nonce",
  "redirect_uri",
  "response_type",
  "scope",
  "state",
];

const NOT_AN_AUDIENCE =
  "must be in OIDC_AUDIENCE, because ID tokens have it in aud; or set CONSOLE_TOKEN=access_token, if the provider's access tokens are JWTs";

/** Null: the console is off. */
export function readConsole(reader: Reader): ConsoleConfig | null {
  const clientId = reader.text("CONSOLE_CLIENT_ID") ?? null;
  const scope = readScope(reader);
  const token = reader.oneOf("CONSOLE_TOKEN", ["id_token", "access_token"]) ?? "id_token";
  const parameters = readParameters(reader);
  if (reader.oneOf("CONSOLE", ["true", "false"]) === "false") return null;
  const audiences = reader
    .text("OIDC_AUDIENCE")
    ?.split(",")
    .map((audience) => audience.trim());
  if (clientId !== null && token === "id_token" && audiences?.some((one) => isSameAudience(one, clientId)) === false)
    reader.refuse("CONSOLE_CLIENT_ID", NOT_AN_AUDIENCE);
  return { clientId, scope, token, parameters };
}

function readScope(reader: Reader): string {
  const scope = (reader.text("CONSOLE_SCOPE") ?? SCOPE_DEFAULT).split(/\s+/);
  if (!scope.includes("openid")) reader.refuse("CONSOLE_SCOPE", "must contain openid, separated by spaces");
  return scope.join(" ");
}

/** Written as a query, such as `audience=https://api.example.com&organization=acme`. */
function readParameters(reader: Reader): Readonly<Record<string, string>> {
  const parameters = new URLSearchParams(reader.text("CONSOLE_AUTHORIZATION_PARAMETERS") ?? "");
  for (const name of parameters.keys()) {
    if (OWN_PARAMETERS.includes(name))
      reader.refuse("CONSOLE_AUTHORIZATION_PARAMETERS", `must not contain ${name}, which the console sets itself`);
  }
  return Object.fromEntries(parameters);
}
