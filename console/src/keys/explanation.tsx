import { useQuery } from "@connectrpc/connect-query";
import { AuthService } from "../../../clients/typescript/src/gen/latchkey/v1/auth_service_pb.ts";
import { Badge } from "../ui/badge.tsx";
import { Card } from "../ui/card.tsx";
import { Loaded } from "../ui/loaded.tsx";

/** How the service would decide on a call with the key now. Spends nothing. */
export function Explanation({ keyId }: { keyId: string }) {
  const query = useQuery(AuthService.method.verify, { explain: true, keyId });
  return (
    <Card title="A call with this key, now">
      <Loaded query={query} what="the decision">
        {({ explanation }) =>
          explanation && (
            <>
              <p>
                {explanation.allowed ? "It would be let in." : "It would be denied: "}
                {!explanation.allowed && <code>{explanation.denialReason}</code>}
              </p>
              <ul className="steps">
                {explanation.steps.map(({ name, passed, detail }) => (
                  <li className="step" key={name}>
                    <Badge tone={passed ? "good" : "bad"}>{passed ? "Passed" : "Failed"}</Badge>
                    <strong>{STEPS[name] ?? name.replaceAll("_", " ")}</strong>
                    <span>{detail}</span>
                  </li>
                ))}
              </ul>
            </>
          )
        }
      </Loaded>
    </Card>
  );
}

const STEPS: Readonly<Record<string, string>> = {
  status: "Status",
  source: "Address and origin",
  oidc: "Configuration for users' tokens",
  rate_limit: "Limit",
  scope: "Scope",
};
