import "../styles/people.css";
import { useMutation } from "@connectrpc/connect-query";
import { type FormEvent, useEffect, useState } from "react";
import { Link } from "wouter";
import { OrgService } from "../../../clients/typescript/src/gen/latchkey/v1/org_service_pb.ts";
import { useCaller } from "../api/caller.tsx";
import { endsSession } from "../api/failure.ts";
import { useTenantChange } from "../orgs/tenant-change.ts";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/field.tsx";
import { Problem } from "../ui/states.tsx";
import { tokenIn } from "./invitation-link.ts";

/** Where an invitation's link leads: joins its organization. */
export function InvitationPage() {
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
  const { session, tenantId } = useCaller();
  const { label, email } = session.user;
  const changeTenant = useTenantChange();
  const { mutate, isPending, isSuccess, error } = useMutation(OrgService.method.acceptInvitation, {
    onSuccess: () => changeTenant(),
    onError: (err) => {
      // The sign-in that is needed now returns to the address as it is then.
      if (endsSession(err)) history.replaceState(history.state, "", `${location.pathname}#${token}`);
    },
  });
  return (
    <section className="card" aria-label="Invitation">
      <p>
        You become a member of the organization that invited you, with the role of the invitation. It is for one email
        address, and works once.
      </p>
      <dl className="facts">
        <dt>Signed in as</dt>
        <dd>{label}</dd>
        {email !== undefined && email !== label && (
          <>
            <dt>Email address</dt>
            <dd>{email}</dd>
          </>
        )}
      </dl>
      <p className="quiet">For another address sign out, open the link again, and sign in with that one.</p>
      {error && <Problem error={error} />}
      <div className="actions">
        <Link className="button" href="/">
          {tenantId === "" ? "Not now" : "Stay where you are"}
        </Link>
        <Button look="main" busy={isPending || isSuccess} onClick={() => mutate({ token })}>
          Join
        </Button>
      </div>
    </section>
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
