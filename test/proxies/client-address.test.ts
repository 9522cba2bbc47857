// promise: callers.address
import { describeClientAddress } from "./client-address.suite.ts";
import { CADDY, NGINX } from "./kinds.ts";

describeClientAddress("nginx, which appends to X-Forwarded-For", NGINX, "203.0.113.7");
// It trusts no proxy in front of it unless it is configured to.
describeClientAddress("Caddy, which rewrites X-Forwarded-For", CADDY, "127.0.0.4");
