import "../styles/people.css";
import { useMutation, useQuery } from "@connectrpc/connect-query";
import { type FormEvent, useEffect, useState } from "react";
import { Link } from "wouter";
import type { InvitationOffer } from "../../../clients/typescript/src/gen/latchkey/v1/org_pb.ts";
import { OrgService } from "../../../clients/typescript/src/gen/latchkey/v1/org_service_pb.ts";
import { useCaller } from "../api/caller.tsx";
import { useTenantChange } from "../orgs/tenant-change.ts";
import { keepHash } from "../session/sign-in.ts";
import { Button } from "../ui/button.tsx";
import { Chip } from "../ui/chip.tsx";
import { Field } from "../ui/field.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { Problem } from "../ui/states.tsx";
import { Time } from "../ui/time.tsx";
import { useToast } from "../ui/toast.tsx";
import { useTitle } from "../ui/use-title.ts";
import { tokenIn } from "./invitation-link.ts";

/** Where an invitation's link leads: joins its organization. */
export function InvitationPage() {
  useTitle("Join an organization");
  const [token, setToken] = useState(tokenInAddress);
  useEffect(() => {
    hideToken();
    const readAgain = (): void => {
      setToken((known) => tokenInAddress() ?? known);
      hideToken();
    };
    window.addEventListener("hashchange", readAgain);
    return () => window.removeEventListener("hashchange", readAgain);
  }, []);
  return (
    <div className="first-org">
      <h1>Join an organization</h1>
      {token === undefined ? <EnterLink onToken={setToken} /> : <Join key={token} token={token} />}
    </div>
  );
}

function tokenInAddress(): string | undefined {
  return tokenIn(location.hash);
}

/** Neither the history nor a copied address should have it. */
function hideToken(): void {
  if (location.hash !== "") history.replaceState(history.state, "", location.pathname);
}

function Join({ token }: { token: string }) {
  const { tenantId } = useCaller();
  const changeTenant = useTenantChange();
  const toast = useToast();
  const preview = useQuery(OrgService.method.previewInvitation, { token });
  const { mutate, isPending, isSuccess, error } = useMutation(OrgService.method.acceptInvitation, {
    onSuccess: async ({ result }) => {
      await changeTenant();
      toast(`You are a member of ${result?.name ?? "the organization"} now`);
    },
  });
  useEffect(() => keepHash(`#${token}`), [token]);
  return (
    <section className="card" aria-label="Invitation">
      <Loaded
        query={preview}
        what="the invitation"
        skeleton={<Skeleton what="the invitation" rows={4} />}
        failed={(problem) => <NotJoinable error={problem} />}
      >
        {({ result }) =>
          result && (
            <>
              <Offer offer={result} />
              {error && <Problem error={error} />}
              <div className="actions">
                <Link className="button" href="/">
                  {tenantId === "" ? "Not now" : "Stay where you are"}
                </Link>
                <Button look="main" busy={isPending || isSuccess} onClick={() => mutate({ token })}>
                  Join
                </Button>
              </div>
            </>
          )
        }
      </Loaded>
    </section>
  );
}

/** To what, as what, by whom, and as whom. */
function Offer({ offer: { organizationName, role, invitedByEmail, expiresAt } }: { offer: InvitationOffer }) {
  return (
    <>
      <h2>
        {invitedByEmail === "" ? "You are invited" : `${invitedByEmail} invites you`} to join {organizationName}
      </h2>
      <dl className="facts">
        <dt>Organization</dt>
        <dd>{organizationName}</dd>
        <dt>Your role</dt>
        <dd>
          <Chip>{role}</Chip>
        </dd>
        <dt>Ends</dt>
        <dd>
          <Time at={expiresAt} />
        </dd>
        <SignedInAs />
      </dl>
    </>
  );
}

function SignedInAs() {
  const { label, email } = useCaller().session.user;
  return (
    <>
      <dt>Signed in as</dt>
      <dd>{label}</dd>
      {email !== undefined && email !== label && (
        <>
          <dt>Email address</dt>
          <dd>{email}</dd>
        </>
      )}
    </>
  );
}

/** Who is signed in is the first thing to look at: an invitation is for one address, and shows nothing to others. */
function NotJoinable({ error }: { error: Error }) {
  return (
    <>
      <Problem error={error} />
      <dl className="facts">
        <SignedInAs />
      </dl>
      <p className="quiet">
        An invitation is for one email address. For another one sign out, open the link again, and sign in with that
        one.
      </p>
      <div className="actions">
        <Link className="button" href="/">
          Go to the console
        </Link>
      </div>
    </>
  );
}

function EnterLink({ onToken }: { onToken: (token: string) => void }) {
  const [text, setText] = useState("");
  const [isWrong, setWrong] = useState(false);
  const read = (event: FormEvent): void => {
    event.preventDefault();
    const token = tokenIn(text);
    setWrong(token === undefined);
    if (token !== undefined) onToken(token);
  };
  return (
    <form className="card" onSubmit={read}>
      <Field
        label="Invitation link"
        hint="The whole link that you were sent."
        problem={isWrong ? "There is no invitation in it: it ends with #inv_ and 43 more characters." : undefined}
        value={text}
        onChange={setText}
        autoComplete="off"
        spellCheck={false}
        required
      />
      <div className="actions">
        <Button look="main" type="submit">
          Continue
        </Button>
      </div>
    </form>
  );
}
