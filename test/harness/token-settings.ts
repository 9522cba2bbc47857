/** What the services that tests start issue tokens with. */
export const TOKEN_ISSUER = "https://latchkey.test";
export const TOKEN_SECRET = "secret-of-the-tests-for-signing-keys-0123456789";
