import { useQuery } from "@connectrpc/connect-query";
import { createContext, type ReactNode, useContext } from "react";
import { AuthService } from "../../../clients/typescript/src/gen/latchkey/v1/auth_service_pb.ts";
import type { Session } from "../session/session.ts";
import type { Settings } from "../settings.ts";
import { Loading, Problem } from "../ui/states.tsx";
import { grants } from "./permissions.ts";

/** The user as the service knows them. */
export interface Caller {
  readonly session: Session;
  readonly settings: Settings;
  /** As the service's lists name the user. */
  readonly userId: string;
  /** Empty: the user is in no organization yet. */
  readonly tenantId: string;
  /** Whether to show what needs a scope. */
  may(scope: string): boolean;
}

const CallerContext = createContext<Caller | undefined>(undefined);

export function useCaller(): Caller {
  const caller = useContext(CallerContext);
  if (caller === undefined) throw new Error("There is no caller above this component.");
  return caller;
}

/** Asks the service who the user is, and shows its children once it knows: what it fails to ask again is as before. */
export function CallerProvider({
  session,
  settings,
  children,
}: Pick<Caller, "session" | "settings"> & { children: ReactNode }) {
  const { data, error, refetch } = useQuery(AuthService.method.verify, { tenantOptional: true });
  if (data === undefined)
    return error === null ? <Loading what="your account" /> : <Problem error={error} retry={refetch} />;
  const { userId, tenantId, permissions } = data;
  const caller: Caller = { session, settings, userId, tenantId, may: (scope) => grants(permissions, scope) };
  return <CallerContext value={caller}>{children}</CallerContext>;
}
