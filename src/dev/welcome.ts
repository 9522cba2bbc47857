interface SeededKey {
  readonly key_id: string;
  readonly key: string;
}

/** The values that are printed at the start. */
export interface Welcome {
  readonly url: string;
  readonly token: string;
  readonly tenant: string;
  readonly key: SeededKey;
  readonly publishableKey: SeededKey;
  /** Of a user of the app that has the publishable key. */
  readonly userToken: string;
}

/** Creates a key through the API itself, exactly as the printed lines do. */
export async function seedKey(url: string, token: string, fields: object): Promise<SeededKey> {
  const response = await fetch(`${url}/api/v1/api-keys/create`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
    body: JSON.stringify(fields),
  });
  if (!response.ok) throw new Error(`a first key could not be created: ${await response.text()}`);
  // Our own service's answer, whose shape the contract fixes.
  const { result } = (await response.json()) as { result: SeededKey };
  return result;
}

/**
 * The text for the terminal. The exports come first, so that every later line can be pasted unchanged. This includes zsh,
 * which by default has no comments: it parses a line that begins with # like any other, with its quotes and wildcards.
 */
export function welcome({ url, token, tenant, key, publishableKey, userToken }: Welcome): string {
  return `
Latchkey is running at ${url} (development: its own identity provider, tenant ${tenant}; stop it with Ctrl-C)
The console is at ${url}/console: sign in as dev-user.

Paste into another terminal: a dashboard user's token, a secret key, a publishable key, and a token of its app's user.
Both keys have the scope conversations:*; both tokens are valid for an hour.

export LATCHKEY_URL='${url}'
export LATCHKEY_TOKEN='${token}'
export LATCHKEY_KEY='${key.key}'
export LATCHKEY_PUBLISHABLE_KEY='${publishableKey.key}'
export LATCHKEY_USER_TOKEN='${userToken}'

# create a key
${management("create", `{"name":"my key","permissions":["conversations:*"]}`)}

# list the conversations
${gateway("list-threads", "{}")}

# send a message, the reply is produced in the background
${gateway("send-message", `{"conversation_key":"hello","user_message":{"role":"ROLE_USER","content":[{"type":"CONTENT_PART_TYPE_TEXT","content":"Hi"}]}}`)}

# read the conversation, wait up to 5 s for the reply
${gateway("get-conversation-state", `{"conversation_key":"hello","wait_ms":5000}`)}

# who is calling: here an app, for its user
${curl("/api/v1/auth/verify", ["X-API-Key: $LATCHKEY_PUBLISHABLE_KEY", "Authorization: Bearer $LATCHKEY_USER_TOKEN"], `{"scope":"conversations:read"}`)}

# at last, revoke the key of LATCHKEY_KEY: from now on it is answered api_key_revoked
${management("revoke", `{"key_id":"${key.key_id}"}`)}
`;
}

function management(method: string, body: string): string {
  return curl(`/api/v1/api-keys/${method}`, ["Authorization: Bearer $LATCHKEY_TOKEN"], body);
}

function gateway(method: string, body: string): string {
  return curl(`/api/v1/llm/gateway/${method}`, ["X-API-Key: $LATCHKEY_KEY"], body);
}

function curl(path: string, credentials: readonly string[], body: string): string {
  const headers = credentials.map((credential) => `-H "${credential}"`).join(" ");
  return `curl -sS "$LATCHKEY_URL${path}" -H 'Content-Type: application/json' ${headers} -d '${body}'`;
}
