import { createLatchkeyClient } from "@latchkey/client";

const { LATCHKEY_URL, LATCHKEY_RULE, LATCHKEY_AUDIENCE } = process.env;
const { ACTIONS_ID_TOKEN_REQUEST_URL: url, ACTIONS_ID_TOKEN_REQUEST_TOKEN: token } = process.env;

/** A new token of this job's, for the audience of the rule. */
async function getAssertion({ signal }) {
  if (!url || !token) throw new Error("The job needs permissions: id-token: write");
  const response = await fetch(`${url}&audience=${encodeURIComponent(LATCHKEY_AUDIENCE)}`, {
    headers: { authorization: `Bearer ${token}` },
    signal,
  });
  if (!response.ok) throw new Error(`GitHub answered with status ${response.status}`);
  const { value } = await response.json();
  return value;
}

const client = createLatchkeyClient({ baseUrl: LATCHKEY_URL, federation: { rule: LATCHKEY_RULE, getAssertion } });
const { tenantId, permissions } = await client.auth.verify({});
process.stdout.write(`This job acts for ${tenantId} with ${permissions.join(", ")}.\n`);
