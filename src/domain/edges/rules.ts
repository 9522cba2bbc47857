/**
 * Version of the rules by which a call with a key is decided. An edge decides by itself only if the service has the same ones, so
 * raise it with each change of what decides: a member of a key's record that restricts it, a check, a denial, a built-in scope, a
 * message of the protocol.
 */
export const RULES = 3;
