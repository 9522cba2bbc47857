/**
 * Firebase with Identity Platform: `export const beforesignin = beforeUserSignedIn(tenantClaims)`, from
 * `firebase-functions/v2/identity`. An error fails the sign-in.
 */
export async function tenantClaims(event) {
  const response = await fetch(`${process.env.LATCHKEY_URL}/api/v1/identity/claims`, {
    method: "POST",
    headers: { authorization: `Bearer ${process.env.IDENTITY_HOOK_SECRET}` },
    body: JSON.stringify({ sub: event.data.uid }),
    signal: AbortSignal.timeout(2_000),
  });
  if (!response.ok) throw new Error(`identity/claims responded with ${response.status}`);
  const { tenant_id, roles } = await response.json();
  return { sessionClaims: tenant_id === "" ? {} : { tenant_id, roles } };
}
