// promise: check.proxies
import { CADDY, NGINX } from "./kinds.ts";
import { describeProxy, type Traits } from "./proxy.suite.ts";

const TRAITS: Traits = { namedInConnection: "kept", addsLimits: true, away: { status: 503, code: "unavailable" } };

describeProxy("nginx", NGINX, TRAITS);
describeProxy("Caddy", CADDY, TRAITS);
