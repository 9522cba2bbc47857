import { escaped } from "./html.ts";

interface Step {
  readonly title: string;
  readonly command: string;
}

const CREATE_PUBLISHABLE =
  '{"name":"my app","keyType":"KEY_TYPE_PUBLISHABLE","permissions":["conversations:*"],"publishableConfig":{"oidc":{"issuer":"\'$LATCHKEY_ISSUER\'","jwksUrl":"\'$LATCHKEY_JWKS_URL\'","audience":"\'$LATCHKEY_AUDIENCE\'"}}}';
const MESSAGE =
  '{"conversation_key":"hello","user_message":{"role":"ROLE_USER","content":[{"type":"CONTENT_PART_TYPE_TEXT","content":"Hi"}]}}';

function stepsOf(tokenCommand: string): readonly Step[] {
  return [
    { title: "Create a key", command: management("create", '{"name":"my key","permissions":["conversations:*"]}') },
    { title: "List the conversations", command: gateway("list-threads", "{}") },
    { title: "Send a message; the reply is produced in the background", command: gateway("send-message", MESSAGE) },
    {
      title: "Read the conversation; wait up to 5 s for the reply",
      command: gateway("get-conversation-state", '{"conversation_key":"hello","wait_ms":5000}'),
    },
    {
      title: "Ask who is calling: here an app, for its user",
      command: curl(
        "/api/v1/auth/verify",
        ["X-API-Key: $LATCHKEY_PUBLISHABLE_KEY", "Authorization: Bearer $LATCHKEY_USER_TOKEN"],
        '{"scope":"conversations:read"}',
      ),
    },
    {
      title: "Create a publishable key of your own: its users have tokens of this provider",
      command: management("create", CREATE_PUBLISHABLE),
    },
    {
      title: "Sign in as a viewer, who may not create keys: 403",
      command: `LATCHKEY_TOKEN=$(${tokenCommand} --sub alice --role viewer)\n${management("create", '{"name":"no","permissions":["plans:read"]}')}`,
    },
    {
      title: "Sign in to the second tenant, which has no keys",
      command: `LATCHKEY_TOKEN=$(${tokenCommand} --sub second-user --tenant ten_second)\n${management("list", "{}")}`,
    },
    {
      title: "Send a token that has expired: 401",
      command: `LATCHKEY_TOKEN=$(${tokenCommand} --expired)\n${management("list", "{}")}`,
    },
    {
      title: "At last, revoke the key of LATCHKEY_KEY: from now on, it is refused with api_key_revoked",
      command: `LATCHKEY_TOKEN=$(${tokenCommand})\n${management("revoke", '{"key_id":"\'$LATCHKEY_KEY_ID\'"}')}`,
    },
  ];
}

/** Commands to paste into a shell that has read the exports, in the folder of the server. They need neither bash nor a comment. */
export function tryPage(tokenCommand: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Try Latchkey</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1a1a1a; background: #fff }
  pre { padding: .75rem 1rem; border: 1px solid #767676; border-radius: .375rem; white-space: pre-wrap; overflow-wrap: anywhere }
  h2 { font-size: 1rem; margin: 1.5rem 0 0 }
  a { color: inherit }
  @media (prefers-color-scheme: dark) { body { color: #eee; background: #161616 } }
</style>
<h1>Try Latchkey</h1>
<p>Paste these lines one after the other into a terminal in the folder of the development server, after the
line with <code>env.sh</code> that it printed. <code>${tokenCommand} --help</code> makes tokens of any user.</p>
${stepsOf(tokenCommand)
  .map(({ title, command }) => `<h2>${escaped(title)}</h2>\n<pre>${escaped(command)}</pre>`)
  .join("\n")}
</html>
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
