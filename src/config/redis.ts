import { ESCAPES, IS_ENCODED, NAMES_A_HOST, percentDecoded, type Reader } from "./reader.ts";
import type { RedisCredentials, RedisNode, RedisServers } from "./settings.ts";

const REDIS_NODE = String.raw`(?:[\w.-]+|\[[0-9a-fA-F:.]+\])(?::\d{1,5})?`;
/** Without / ? #, which end the authority of a URL: the start of a password would be read, and logged, as the host. */
const REDIS_CREDENTIALS = String.raw`(?:[^\s/?#@]*@)?`;
const REDIS_URL = new RegExp(
  `^(?:rediss?://${REDIS_CREDENTIALS}${REDIS_NODE}(?:/\\d*)?|rediss?\\+sentinel://${REDIS_CREDENTIALS}${REDIS_NODE}(?:,${REDIS_NODE})*/[\\w.-]+|rediss?\\+cluster://${REDIS_CREDENTIALS}${REDIS_NODE}(?:,${REDIS_NODE})*)$`,
);
const IS_REDIS =
  "must be redis://host:port, redis+sentinel://host:port,host:port/name or redis+cluster://host:port,host:port, each with rediss for TLS";
const FOR_SENTINELS =
  "is for sentinels, so it needs a REDIS_URL that begins with redis+sentinel:// or rediss+sentinel://";

/**
 * - `redis://[user:password@]host:port[/db]`, or `rediss://` with TLS
 * - `redis+sentinel://[user:password@]host:port,host:port/name`: the primary called `name`, as its sentinels report it
 * - `redis+cluster://[user:password@]host:port,host:port`: a cluster, by some of its nodes
 * - `rediss+sentinel://` and `rediss+cluster://`: the same, with TLS to all of them
 *
 * URL parsers do not accept several hosts, so this function splits the list. A query or a fragment is refused: ignoring a
 * setting would surprise the operator later.
 */
export function readRedis(reader: Reader): RedisServers | null {
  const servers = readServers(reader);
  if (servers?.kind === "sentinel") return { ...servers, sentinelCredentials: readSentinelCredentials(reader) };
  for (const name of ["REDIS_SENTINEL_USERNAME", "REDIS_SENTINEL_PASSWORD"])
    if (reader.text(name) !== undefined) reader.refuse(name, FOR_SENTINELS);
  return servers;
}

function readServers(reader: Reader): RedisServers | null {
  const url = reader.text("REDIS_URL");
  if (url === undefined) return null;
  if (!REDIS_URL.test(url)) {
    reader.refuse("REDIS_URL", url.includes("@") ? `${IS_REDIS}; ${ESCAPES}` : IS_REDIS);
    return null;
  }
  const [scheme = "", rest = ""] = url.split("://", 2);
  const [authority = "", primary = ""] = rest.split("/", 2);
  const at = authority.lastIndexOf("@");
  const hosts = authority.slice(at + 1).split(",");
  const nameHosts = hosts.every((host) => URL.canParse(`redis://${host}`));
  if (!nameHosts) reader.refuse("REDIS_URL", NAMES_A_HOST);
  const isEncoded = percentDecoded(authority) !== undefined;
  if (!isEncoded) reader.refuse("REDIS_URL", IS_ENCODED);
  if (!nameHosts || !isEncoded) return null;
  if (!scheme.includes("+")) return { kind: "single", url };
  const credentials = redisCredentials(authority.slice(0, Math.max(at, 0)));
  const servers = { nodes: hosts.map(redisNode), credentials, tls: scheme.startsWith("rediss") };
  return scheme.endsWith("+sentinel")
    ? { kind: "sentinel", primary, ...servers, sentinelCredentials: {} }
    : { kind: "cluster", ...servers };
}

function readSentinelCredentials(reader: Reader): RedisCredentials {
  const username = reader.text("REDIS_SENTINEL_USERNAME");
  const password = reader.text("REDIS_SENTINEL_PASSWORD");
  if (username !== undefined && password === undefined)
    reader.refuse("REDIS_SENTINEL_PASSWORD", "is required as soon as REDIS_SENTINEL_USERNAME is set");
  return { ...(username && { username }), ...(password && { password }) };
}

function redisNode(host: string): RedisNode {
  const { hostname, port } = new URL(`redis://${host}`);
  return { host: hostname.replace(/^\[|\]$/g, ""), port: Number(port || 6_379) };
}

function redisCredentials(userInfo: string): RedisCredentials {
  // The first colon ends the name. The password may contain more colons.
  const [username = "", ...rest] = userInfo.split(":").map(decodeURIComponent);
  const password = rest.join(":");
  return { ...(username && { username }), ...(password && { password }) };
}
