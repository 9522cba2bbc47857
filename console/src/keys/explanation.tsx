import { useQuery } from "@connectrpc/connect-query";
import { AuthService } from "../../../clients/typescript/src/gen/latchkey/v1/auth_service_pb.ts";
import { Problem } from "../ui/states.tsx";

/** How the service would decide on a call with the key now. Spends nothing. */
export function Explanation({ keyId }: { keyId: string }) {
  const { data, error, refetch } = useQuery(AuthService.method.verify, { explain: true, keyId });
  const explanation = data?.explanation;
  return (
    <section className="card" aria-labelledby="now">
      <h2 id="now">A call with this key, now</h2>
      {error !== null && <Problem error={error} retry={refetch} />}
      {explanation && (
        <>
          <p>
            {explanation.allowed ? "It would be let in." : "It would be denied: "}
            {!explanation.allowed && <code>{explanation.denialReason}</code>}
          </p>
          <ul className="steps">
            {explanation.steps.map(({ name, passed, detail }) => (
              <li className="step" key={name}>
                <span className={`badge badge-${passed ? "good" : "bad"}`}>{passed ? "Passed" : "Failed"}</span>
                <strong>{name.replaceAll("_", " ")}</strong>
                <span>{detail}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}
