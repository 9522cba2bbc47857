import { readFile } from "node:fs/promises";
import { createLatchkeyClient } from "@latchkey/client";

const { LATCHKEY_URL, LATCHKEY_RULE, LATCHKEY_TOKEN_FILE = "/var/run/secrets/latchkey/token" } = process.env;

const client = createLatchkeyClient({
  baseUrl: LATCHKEY_URL,
  federation: {
    rule: LATCHKEY_RULE,
    // Read each time: the kubelet replaces the file before its token ends.
    getAssertion: () => readFile(LATCHKEY_TOKEN_FILE, "utf8"),
  },
});
const { tenantId, permissions } = await client.auth.verify({});
process.stdout.write(`This pod acts for ${tenantId} with ${permissions.join(", ")}.\n`);
