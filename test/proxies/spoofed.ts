/** Every character but letters and digits that the name of a header may have (RFC 9110, 5.6.2). */
const SEPARATORS = [..."!#$%&'*+-.^_`|~"];

/**
 * Names that some framework or gateway reads as one of `X-Auth-*`: many read `_` as `-`, and those that make a variable of
 * a header's name, as CGI does, read whatever is no letter or digit alike.
 */
export const SPOOFED = [
  "x-auth-is-admin",
  "X_Auth_Tenant_Id",
  "X-Auth-User_Id",
  "X_Auth-User-Id",
  ...SEPARATORS.map((separator) => ["X", "Auth", "Role"].join(separator)),
];
