import { table } from "./markdown-table.ts";
import { PROVIDERS } from "./providers.ts";

/** The configuration for each identity provider, and what to know about it, as Markdown. */
export function providerMarkdown(): string {
  const rows = PROVIDERS.map(({ name, variables, roles }) => [
    name,
    `\`${variables.OIDC_USER_ID_CLAIM ?? "sub"}\``,
    `\`${variables.OIDC_TENANT_CLAIM}\``,
    `\`${variables.OIDC_ROLES_CLAIM}\``,
    Object.keys(roles)
      .map((role) => `\`${role}\``)
      .join(", "),
  ]);
  const notes = PROVIDERS.flatMap(({ name, variables: { OIDC_REQUIRED_CLAIMS: required }, notes: own }) => {
    const all = required === undefined ? own : [`\`OIDC_REQUIRED_CLAIMS\` is \`${required}\`.`, ...own];
    return all.length === 0 ? [] : [`- ${name}: ${all.join(" ")}`];
  });
  const head = ["Provider", "`OIDC_USER_ID_CLAIM`", "`OIDC_TENANT_CLAIM`", "`OIDC_ROLES_CLAIM`", "Roles such as"];
  return [table(head, rows), notes.join("\n")].join("\n\n");
}
