// promise: check.proxies
import { describeClientAddress } from "../proxies/client-address.suite.ts";
import { describeFencedKeys } from "../proxies/fenced-keys.suite.ts";
import { describeProxy } from "../proxies/proxy.suite.ts";
import { describeTraffic } from "../proxies/traffic.suite.ts";
import { TRAEFIK } from "./proxy-kinds.ts";

const NAME = "Traefik, ForwardAuth";

describeProxy(NAME, TRAEFIK, { namedInConnection: "removed", addsLimits: false, away: { status: 500 } });
describeFencedKeys(NAME, TRAEFIK);
describeClientAddress(NAME, TRAEFIK, "127.0.0.4");
describeTraffic(NAME, TRAEFIK);
