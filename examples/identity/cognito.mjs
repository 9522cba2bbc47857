/** Cognito: Lambda for the trigger "pre token generation", event version V2_0. An error fails the sign-in. */
export async function handler(event) {
  const response = await fetch(`${process.env.LATCHKEY_URL}/api/v1/identity/claims`, {
    method: "POST",
    headers: { authorization: `Bearer ${process.env.IDENTITY_HOOK_SECRET}` },
    body: JSON.stringify({ sub: event.request.userAttributes.sub }),
    signal: AbortSignal.timeout(2_000),
  });
  if (!response.ok) throw new Error(`identity/claims responded with ${response.status}`);
  const { tenant_id, roles } = await response.json();
  const claims = { claimsToAddOrOverride: tenant_id === "" ? {} : { tenant_id, roles } };
  event.response = { claimsAndScopeOverrideDetails: { idTokenGeneration: claims, accessTokenGeneration: claims } };
  return event;
}
