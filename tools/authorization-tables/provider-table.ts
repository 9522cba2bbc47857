import { table } from "./markdown-table.ts";
import { PROVIDERS } from "./providers.ts";

/** The configuration for each identity provider, as Markdown. */
export function providerMarkdown(): string {
  const rows = PROVIDERS.map(({ name, guide, variables, roles }) => [
    `[${name}](guides/identity/${guide}.md)`,
    `\`${variables.OIDC_USER_ID_CLAIM ?? "sub"}\``,
    `\`${variables.OIDC_TENANT_CLAIM}\``,
    `\`${variables.OIDC_ROLES_CLAIM}\``,
    Object.keys(roles)
      .map((role) => `\`${role}\``)
      .join(", "),
  ]);
  const head = ["Provider", "`OIDC_USER_ID_CLAIM`", "`OIDC_TENANT_CLAIM`", "`OIDC_ROLES_CLAIM`", "Roles such as"];
  return table(head, rows);
}
