import "../styles/operator.css";
import { Code, ConnectError } from "@connectrpc/connect";
import { useQuery } from "@connectrpc/connect-query";
import { useSearchParams } from "wouter";
import { OperatorService } from "../../../clients/typescript/src/gen/latchkey/v1/operator_service_pb.ts";
import { useCaller } from "../api/caller.tsx";
import type { User } from "../session/session.ts";
import { NotHere } from "../ui/not-here.tsx";
import { PageHeader } from "../ui/page-header.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { Problem } from "../ui/states.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { FoundKeys } from "./found-keys.tsx";
import { Tenants } from "./tenants.tsx";
import { TenantsEvents } from "./tenants-events.tsx";

const TABS = [
  { value: "keys", label: "Keys" },
  { value: "tenants", label: "Tenants" },
  { value: "audit", label: "Audit" },
] as const;
type TabName = (typeof TABS)[number]["value"];

/** The page of those who run the service. Everybody else sees what an unknown path has. */
export function OperatorPage() {
  const { settings, session } = useCaller();
  // Its RPCs are on the other port, with the page for them.
  if (settings.area === "tenant") return <NotHere />;
  return <OperatorTabs user={session.user} />;
}

/** Asks the service whether the user may do this: it alone knows what `*` includes in a tenant. */
export function OperatorTabs({ user }: { user: User }) {
  const { error, isPending, refetch } = useQuery(OperatorService.method.listTenants, { perPage: 1 });
  const [search, setSearch] = useSearchParams();
  if (error !== null && isRefusal(error)) return <NotHere />;
  if (error !== null && isPending) return <Problem error={error} retry={refetch} />;
  if (isPending) return <Skeleton what="the page" kind="card" />;
  const tab = TABS.find(({ value }) => value === search.get("tab"))?.value ?? "keys";
  const choose = (name: TabName): void => setSearch(name === "keys" ? {} : { tab: name });
  return (
    <>
      <PageHeader title="Operator" text="Keys, tenants and events of all customers. All actions here are recorded." />
      <Tabs label="Operator" tabs={TABS} value={tab} onChange={choose}>
        <div className="operator-panel">
          {tab === "keys" && <FoundKeys />}
          {tab === "tenants" && <Tenants />}
          {tab === "audit" && <TenantsEvents user={user} />}
        </div>
      </Tabs>
    </>
  );
}

function isRefusal(error: Error): boolean {
  return [Code.PermissionDenied, Code.NotFound, Code.Unimplemented].includes(ConnectError.from(error).code);
}
