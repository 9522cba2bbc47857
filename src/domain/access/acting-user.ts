import type { Principal } from "./principal.ts";

/** The user a call is made for. Null: it is made for the tenant itself. */
export function actingUser(principal: Principal): string | null {
  switch (principal.kind) {
    case "dashboard_user":
    case "operator":
    case "anonymous":
      return null;
    case "secret_key":
      return principal.onBehalfOf;
    case "publishable_key":
      return principal.userId;
    default:
      return principal satisfies never;
  }
}

/** The user who calls: a dashboard user, an app's user, or the one a secret key acts for. */
export function callingUser(principal: Principal): string | null {
  return principal.kind === "dashboard_user" ? principal.userId : actingUser(principal);
}
