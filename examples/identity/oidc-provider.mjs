/** oidc-provider: `new Provider(issuer, { findAccount, claims: { openid: ["sub", "tenant_id", "roles"] }, ... })`. */
export function findAccount(_ctx, sub) {
  return { accountId: sub, claims: () => claimsOf(sub) };
}

/** Called for each ID token, at sign-in and at refresh. An error fails it. */
async function claimsOf(sub) {
  const response = await fetch(`${process.env.LATCHKEY_URL}/api/v1/identity/claims`, {
    method: "POST",
    headers: { authorization: `Bearer ${process.env.IDENTITY_HOOK_SECRET}` },
    body: JSON.stringify({ sub }),
    signal: AbortSignal.timeout(2_000),
  });
  if (!response.ok) throw new Error(`identity/claims responded with ${response.status}`);
  const { tenant_id, roles } = await response.json();
  return { sub, ...(tenant_id !== "" && { tenant_id, roles }) };
}
