import { useQuery } from "@connectrpc/connect-query";
import { type ApiKey, KeyType } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_pb.ts";
import { AuthService } from "../../../clients/typescript/src/gen/latchkey/v1/auth_service_pb.ts";
import { Badge } from "../ui/badge.tsx";
import { Card } from "../ui/card.tsx";
import { Loaded } from "../ui/loaded.tsx";

/** Steps that only a call's own address, origin or user's token decides. */
const BY_CALLER: readonly string[] = ["source", "oidc"];

/** How the service would decide on a call with the key now. Spends nothing. */
export function Explanation({ apiKey: { keyId, keyType, allowedIps, allowedOrigins } }: { apiKey: ApiKey }) {
  const needs = [
    allowedIps.length > 0 && "comes from an allowed address",
    allowedOrigins.length > 0 && "comes from an allowed origin",
    keyType === KeyType.PUBLISHABLE && "has a valid token of a user",
  ].filter((need) => need !== false);
  const isOpen = (name: string): boolean => BY_CALLER.includes(name) && needs.length > 0;
  const query = useQuery(AuthService.method.verify, { explain: true, keyId });
  return (
    <Card title="Test this key">
      <Loaded query={query} what="the decision">
        {({ explanation }) =>
          explanation && (
            <>
              <p>
                {!explanation.allowed && (
                  <>
                    A call would be denied: <code>{explanation.denialReason}</code>
                  </>
                )}
                {explanation.allowed && needs.length === 0 && "A call would be allowed."}
                {explanation.allowed && needs.length > 0 && `A call would be allowed if it ${LIST.format(needs)}.`}
              </p>
              <ul className="steps">
                {explanation.steps.map(({ name, passed, detail }) => (
                  <li className="step" key={name}>
                    {passed && isOpen(name) && <Badge tone="info">Depends</Badge>}
                    {passed && !isOpen(name) && <Badge tone="good">Passed</Badge>}
                    {!passed && <Badge tone="bad">Failed</Badge>}
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

const LIST = new Intl.ListFormat("en");

const STEPS: Readonly<Record<string, string>> = {
  status: "Status",
  source: "Address and origin",
  oidc: "Configuration for users' tokens",
  rate_limit: "Limit",
  scope: "Scope",
};
