import { useMutation } from "@connectrpc/connect-query";
import { useState } from "react";
import type { FederationStep } from "../../../clients/typescript/src/gen/latchkey/v1/federation_pb.ts";
import {
  type CheckFederationAssertionResponse,
  FederationService,
} from "../../../clients/typescript/src/gen/latchkey/v1/federation_service_pb.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { TextArea } from "../ui/field.tsx";
import { Problem } from "../ui/states.tsx";

/**
 * Checks a pasted token of a workload by a rule, step by step. The token is only in this field and in the request's body: a
 * mutation, since a query would have it among the keys of its cache; forgotten once the page is left.
 */
export function AssertionCheck({ ruleId }: { ruleId: string }) {
  const [token, setToken] = useState("");
  const { mutate, data, error, isPending } = useMutation(FederationService.method.checkFederationAssertion, {
    gcTime: 0,
  });
  const assertion = token.trim();
  return (
    <form
      className="form"
      autoComplete="off"
      onSubmit={(event) => {
        event.preventDefault();
        if (assertion !== "") mutate({ ruleId, assertion });
      }}
    >
      <TextArea
        label="A workload's token"
        hint="The service checks it, and neither logs nor keeps it. It is not used up, and no token is issued."
        rows={4}
        value={token}
        onChange={setToken}
        placeholder="eyJ…"
      />
      <div className="actions">
        <Button look="main" type="submit" disabled={assertion === ""} busy={isPending}>
          Check
        </Button>
      </div>
      <div aria-live="polite">
        {error !== null && <Problem error={error} />}
        {error === null && data !== undefined && <Result check={data} />}
      </div>
    </form>
  );
}

function Result({ check: { passed, steps } }: { check: CheckFederationAssertionResponse }) {
  return (
    <div className="form">
      <p>
        <strong>{passed ? "The workload would get a token." : "The workload would get no token."}</strong>
      </p>
      <ul className="steps" aria-label="Checks">
        {steps.map((step) => (
          <Step key={step.name} step={step} />
        ))}
      </ul>
    </div>
  );
}

function Step({ step: { name, passed, expected, found, detail } }: { step: FederationStep }) {
  return (
    <li className="step">
      <Badge tone={passed ? "good" : "bad"}>{passed ? "Passed" : "Failed"}</Badge>
      <strong>{name.replaceAll("_", " ")}</strong>
      <span>{detail}</span>
      {!passed && (expected !== "" || found !== "") && (
        <span className="quiet">
          {expected !== "" && (
            <>
              Expected <code>{expected}</code>
            </>
          )}
          {expected !== "" && found !== "" && ", "}
          {found !== "" && (
            <>
              found <code>{found}</code>
            </>
          )}
        </span>
      )}
    </li>
  );
}
