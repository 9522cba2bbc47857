import { isLoopback } from "./loopback.ts";
import { type Reader, refuseUserInfo } from "./reader.ts";

const URL_DEFAULT = "https://api.github.com/meta/public_keys/secret_scanning";

/** Where GitHub publishes the keys that its secret scanning signs with. Null: its reports are not taken. */
export function readGithubKeysUrl(reader: Reader): string | null {
  const name = "GITHUB_SECRET_SCANNING_KEYS_URL";
  const isOn = reader.oneOf("GITHUB_SECRET_SCANNING", ["true", "false"]) === "true";
  const url = reader.url(name, ["https:", "http:"]);
  refuseUserInfo(reader, name, url, "GitHub's keys are public");
  if (url !== undefined && URL.parse(url)?.protocol === "http:" && !isLoopback(URL.parse(url)?.hostname ?? ""))
    reader.refuse(
      name,
      "must begin with https://, unless the host is this machine: the keys decide which reports are GitHub's",
    );
  if (!isOn && reader.text(name) !== undefined)
    reader.refuse(name, "has no effect without GITHUB_SECRET_SCANNING=true");
  return isOn ? (url ?? URL_DEFAULT) : null;
}
