import { AuthService } from "../../gen/latchkey/v1/auth_service_pb.ts";
import { callingUser } from "../domain/identity/acting-user.ts";
import type { Principal } from "../domain/identity/principal.ts";
import { verifyCaller } from "../domain/policy/verify.ts";
import type { Call } from "./call.ts";
import type { ErrorTranslator } from "./errors.ts";
import type { Gate } from "./gate.ts";

/** `AuthService.Verify` for callers that send no message: the same gate, policy and rules. Throws a `ConnectError`. */
export function createCheckCaller(gate: Pick<Gate, "judge">, translate: ErrorTranslator) {
  return async (
    call: Call,
    readScopes: () => readonly string[],
  ): Promise<{ principal: Principal; userId: string | null }> => {
    const principal = await gate.judge(AuthService.method.verify, call);
    try {
      const scopes = readScopes().map((scope) => ["scope", scope] as const);
      verifyCaller(principal, { scopes, tenantOptional: false });
      return { principal, userId: callingUser(principal) };
    } catch (err) {
      throw translate(err, call);
    }
  };
}
