/**
 * Auth0: post-login Action. Its secrets are LATCHKEY_URL and IDENTITY_HOOK_SECRET. In Auth0's editor the function is
 * `exports.onExecutePostLogin = async (event, api) => { ... }`. An error fails the sign-in, and the refresh of a token.
 *
 * Without `roles`, a name that Auth0 keeps for itself: the service reads a member's role at each request.
 */
export async function onExecutePostLogin(event, api) {
  const response = await fetch(`${event.secrets.LATCHKEY_URL}/api/v1/identity/claims`, {
    method: "POST",
    headers: { authorization: `Bearer ${event.secrets.IDENTITY_HOOK_SECRET}` },
    body: JSON.stringify({ sub: event.user.user_id }),
    signal: AbortSignal.timeout(2_000),
  });
  if (!response.ok) throw new Error(`identity/claims responded with ${response.status}`);
  const { tenant_id } = await response.json();
  if (tenant_id === "") return;
  api.idToken.setCustomClaim("tenant_id", tenant_id);
  api.accessToken.setCustomClaim("tenant_id", tenant_id);
}
