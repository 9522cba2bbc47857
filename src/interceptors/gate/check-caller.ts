import { AuthService } from "../../../gen/latchkey/v1/auth_service_pb.ts";
import { callingUser } from "../../domain/access/acting-user.ts";
import type { Authority } from "../../domain/access/authority.ts";
import { sentToken } from "../../domain/access/credentials.ts";
import type { Principal } from "../../domain/access/principal.ts";
import { type ProtectedResource, requireAudience, requireTokenScopes } from "../../domain/access/protected-resource.ts";
import { verifyCaller } from "../../domain/access/verify.ts";
import type { Call } from "../call.ts";
import type { ErrorTranslator } from "../errors.ts";
import type { Gate } from "./gate.ts";

/**
 * Checks a call as `AuthService.Verify` does. Returns its caller and the user for whom it calls. Throws a `ConnectError`,
 * also for an error of `readScopes`.
 */
export type CheckCaller = (call: Call, readScopes: () => readonly string[]) => Promise<VerifiedCaller>;

export interface VerifiedCaller {
  readonly principal: Principal;
  /** The user for whom the call is made. Null: no user. */
  readonly userId: string | null;
}

/** Verify for callers that send no message, with the same gate, policy and rules, and those of the resource. */
export function createCheckCaller(
  gate: Pick<Gate, "check">,
  authority: Authority,
  translate: ErrorTranslator,
  resource: ProtectedResource | null,
): CheckCaller {
  return async (call, readScopes) => {
    const principal = await gate.check(AuthService.method.verify, call);
    try {
      const asked = readScopes();
      if (resource !== null) checkToken(resource, call, principal, asked);
      const scopes = asked.map((scope) => ["scope", scope] as const);
      verifyCaller(principal, { scopes, tenantOptional: false }, authority);
      return { principal, userId: callingUser(principal) };
    } catch (err) {
      throw translate(err, call);
    }
  };
}

/** A secret key needs no token. The rights of a publishable key's user are those of the key, whatever its token was granted. */
function checkToken(
  resource: ProtectedResource,
  { credentials }: Call,
  principal: Principal,
  asked: readonly string[],
): void {
  const hasKey = credentials.apiKey.length > 0;
  if (hasKey && principal.kind === "secret_key") return;
  const token = sentToken(credentials.authorization[0] ?? "") ?? "";
  requireAudience(resource, token);
  // The scopes of the service's own token are among the rights of its caller.
  if (!hasKey && principal.kind !== "secret_key") requireTokenScopes(resource, token, asked);
}
