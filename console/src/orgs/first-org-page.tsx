import "../styles/people.css";
import { useMutation } from "@connectrpc/connect-query";
import { Link } from "wouter";
import { OrgService } from "../../../clients/typescript/src/gen/latchkey/v1/org_service_pb.ts";
import { useCaller } from "../api/caller.tsx";
import { useCreation } from "../api/creation.ts";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { Problem } from "../ui/states.tsx";
import { useTitle } from "../ui/use-title.ts";
import { useMemberships } from "./memberships.ts";
import { OrgForm } from "./org-form.tsx";
import { useTenantChange } from "./tenant-change.ts";

/** For a user whose token has no tenant: the ways to one. */
export function FirstOrgPage() {
  useTitle("Welcome");
  const { session } = useCaller();
  const changeTenant = useTenantChange();
  const { make, isPending, error } = useCreation(OrgService.method.createOrg, { onSuccess: () => changeTenant() });
  return (
    <div className="first-org">
      <h1>Welcome, {session.user.label}</h1>
      <p>Keys, usage and conversations belong to an organization, and you are working in none yet.</p>
      <OwnOrgs />
      <Card title="Create an organization">
        <OrgForm action="Create" isPending={isPending} error={error} onSend={(name) => make({ name })} />
      </Card>
      <Card title="Join one">
        <p>
          A colleague who manages members can invite you by your email address. Open the link that they send you, or{" "}
          <Link href="/invitation">enter it here</Link>.
        </p>
      </Card>
    </div>
  );
}

/** The organizations that the user is a member of, though their token has no tenant. */
function OwnOrgs() {
  const { all } = useMemberships();
  const changeTenant = useTenantChange();
  const { mutate, isPending, error } = useMutation(OrgService.method.switchOrg, { onSuccess: () => changeTenant() });
  if (all.length === 0) return null;
  return (
    <Card title="Your organizations">
      <p>
        Choose the one to work in. If that leads back here, your sign-in does not carry the organization: ask the
        operator of this service.
      </p>
      {error && <Problem error={error} />}
      <ul className="first-org-list">
        {all.map(({ orgId, name, role }) => (
          <li key={orgId}>
            <Button busy={isPending} onClick={() => mutate({ orgId })}>
              {name}
            </Button>{" "}
            <span className="quiet">{role}</span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
