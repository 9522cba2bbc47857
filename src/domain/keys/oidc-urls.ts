export function checkIssuerUrl(value: string, _hosts: readonly string[]): string | undefined {
  return URL.canParse(value) ? undefined : "must be an absolute https URL";
}
export const checkJwksUrl = checkIssuerUrl;
