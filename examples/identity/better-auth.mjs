/** better-auth: `jwt({ jwt: { issuer, audience, definePayload } })`. An error fails the request for a token. */
export async function definePayload({ user }) {
  const response = await fetch(`${process.env.LATCHKEY_URL}/api/v1/identity/claims`, {
    method: "POST",
    headers: { authorization: `Bearer ${process.env.IDENTITY_HOOK_SECRET}` },
    body: JSON.stringify({ sub: user.id }),
    signal: AbortSignal.timeout(2_000),
  });
  if (!response.ok) throw new Error(`identity/claims responded with ${response.status}`);
  const { tenant_id, roles } = await response.json();
  return { email: user.email, email_verified: user.emailVerified, ...(tenant_id !== "" && { tenant_id, roles }) };
}
