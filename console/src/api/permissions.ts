/** Whether permissions grant a scope: `*`, `domain:*`, or the scope itself. The service decides; this is what to show. */
export function grants(permissions: readonly string[], scope: string): boolean {
  const [domain = ""] = scope.split(":");
  return permissions.some((granted) => granted === "*" || granted === `${domain}:*` || granted === scope);
}
