const PATH = "/console/invitation";

/** The token is in the fragment, which browsers send to no server: no log has it. */
export function invitationLink(token: string): string {
  return `${location.origin}${PATH}#${token}`;
}

/** The token in a link, or the token itself. Undefined: no token. */
export function tokenIn(text: string): string | undefined {
  return /(?:^|#)(inv_[\w-]+)$/.exec(text.trim())?.[1];
}
