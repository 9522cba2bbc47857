import { readFileSync } from "node:fs";
import { hostUrls, sessionAttributesOf, withHostsOf } from "./host-urls.ts";
import { IS_ENCODED, percentDecoded, type Reader } from "./reader.ts";

const SSL_MODES = ["disable", "no-verify", "prefer", "require", "verify-ca", "verify-full"];
const SSL_FILES = ["sslrootcert", "sslcert", "sslkey"];
const SSL_NAMES = ["ssl", "sslmode", "sslnegotiation", ...SSL_FILES];

const NAME_IT_IN_THE_PATH = "the database is named after the host: postgres://user:password@host/database";
const TIME_LIMIT = "the service sets its own time limits";

/**
 * Refused parameters, with advice. The driver ignores some of them although the operator means another server; others
 * override settings that our statements rely on.
 */
const REFUSED: ReadonlyMap<string, string> = new Map([
  ["database", NAME_IT_IN_THE_PATH],
  ["dbname", NAME_IT_IN_THE_PATH],
  ["hostaddr", "an address is written in the place of the host"],
  ["service", "the server is named in the URL itself"],
  ["replication", "the service needs ordinary sessions"],
  ["statement_timeout", TIME_LIMIT],
  ["lock_timeout", TIME_LIMIT],
  ["idle_in_transaction_session_timeout", TIME_LIMIT],
  ["query_timeout", TIME_LIMIT],
]);

/** As libpq calls a server that takes writes. */
const WRITABLE = ["read-write", "primary"];

/**
 * `postgres://user:password@host:port/database?parameters`, with several hosts separated by commas as libpq has them. The driver checks no parameter: a wrong one would end the
 * process in the middle of a connection, make it hang, or be ignored silently.
 */
export function readDatabaseUrl(reader: Reader): string | undefined {
  const list = reader.text("DATABASE_URL");
  if (list === undefined) return undefined;
  const urls = hostUrls(list).map((each) => reader.url("DATABASE_URL", ["postgres:", "postgresql:"], each));
  const [url] = urls;
  if (url === undefined || urls.includes(undefined)) return undefined;
  if (!isEncoded(list)) return reader.refuse("DATABASE_URL", IS_ENCODED);
  const attributes = sessionAttributesOf(list);
  if (attributes !== undefined && !WRITABLE.includes(attributes))
    reader.refuse("DATABASE_URL", `must have one of ${WRITABLE.join(", ")} as its parameter target_session_attrs`);
  const parsed = new URL(url);
  const password = reader.fromFile("PGPASSWORD");
  if (password !== undefined && parsed.password === "" && !parsed.searchParams.has("password"))
    parsed.password = encodeURIComponent(password);
  for (const problem of problemsOf(parsed.searchParams)) reader.refuse("DATABASE_URL", problem);
  // The driver knows only 0, and would read `false` as a request for TLS.
  if (parsed.searchParams.get("ssl") === "false") parsed.searchParams.set("ssl", "0");
  else if (password === undefined) return withHostsOf(url, list);
  return withHostsOf(parsed.href, list);
}

/** An unescaped / ? # ends the authority of a URL, so that the start of a password would be read as the host. */
function isEncoded(url: string): boolean {
  const isCutShort = /#|^\w+:\/\/[^/?]*[/?].*@/s.test(url);
  return !isCutShort && !(percentDecoded(url) ?? "\0").includes("\0");
}

function* problemsOf(parameters: URLSearchParams): Generator<string> {
  const names = [...parameters.keys()];
  if (new Set(names).size < names.length) yield "must name no parameter twice";
  for (const [name, instead] of REFUSED) {
    if (parameters.has(name)) yield `must be without the parameter ${name}; ${instead}`;
  }
  // A misspelt one would leave the connection in cleartext.
  if (names.some((name) => /^ssl/i.test(name) && !SSL_NAMES.includes(name)))
    yield `must be without parameters that begin with ssl, except ${SSL_NAMES.join(", ")}`;

  const port = parameters.get("port");
  if (port !== null && !(/^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535))
    yield "must have an integer from 1 to 65535 as its parameter port";
  const ssl = parameters.get("ssl");
  if (ssl !== null && !["true", "false", "1", "0"].includes(ssl))
    yield "must have true, false, 1 or 0 as its parameter ssl; for anything else write sslmode=verify-full and the like";
  const sslMode = parameters.get("sslmode");
  if (sslMode !== null && !SSL_MODES.includes(sslMode))
    yield `must have one of ${SSL_MODES.join(", ")} as its parameter sslmode`;
  for (const name of SSL_FILES) {
    const file = parameters.get(name);
    if (file !== null && !isReadable(file)) yield `must name a file that can be read as its parameter ${name}`;
  }
}

function isReadable(file: string): boolean {
  try {
    readFileSync(file);
    return true;
  } catch {
    return false;
  }
}
