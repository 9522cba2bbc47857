// promise: fence.proxies
import { describeFencedKeys } from "./fenced-keys.suite.ts";
import { CADDY, NGINX } from "./kinds.ts";

describeFencedKeys("nginx", NGINX);
describeFencedKeys("Caddy", CADDY);
