import { createConnectQueryKey } from "@connectrpc/connect-query";
import { partialMatchKey, useQueryClient } from "@tanstack/react-query";
import { useLocation } from "wouter";
import { AuthService } from "../../../clients/typescript/src/gen/latchkey/v1/auth_service_pb.ts";
import { useCaller } from "../api/caller.tsx";
import { SessionEnded } from "../session/session.ts";
import { beginSignIn } from "../session/sign-in.ts";
import { stopAsking, withoutAsking } from "../ui/navigation-guards.ts";

const CALLER = createConnectQueryKey({ schema: AuthService.method.verify, cardinality: "finite" });

/**
 * What follows a change of the user's tenant or role: new tokens, which have it, and no data of before. It goes on at the
 * path. A provider that renews no tokens is visited again, which needs nothing of the user while its own session lasts.
 */
export function useTenantChange(): (path?: string) => Promise<void> {
  const { session, settings } = useCaller();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  return async (path = "/") => {
    try {
      await session.renew();
    } catch (err) {
      if (!(err instanceof SessionEnded)) throw err;
      stopAsking();
      await beginSignIn(settings, `/console${path}`, true);
      return;
    }
    // First: the pages are those of the new role.
    await queries.invalidateQueries({ queryKey: CALLER });
    withoutAsking(() => navigate(path));
    await queries.resetQueries({ predicate: ({ queryKey }) => !partialMatchKey(queryKey, CALLER) });
  };
}
