import { useQuery } from "@connectrpc/connect-query";
import { keepPreviousData } from "@tanstack/react-query";
import { Link } from "wouter";
import type { TopKey } from "../../../clients/typescript/src/gen/latchkey/v1/usage_service_pb.ts";
import { UsageService } from "../../../clients/typescript/src/gen/latchkey/v1/usage_service_pb.ts";
import { useCaller } from "../api/caller.tsx";
import { Button } from "../ui/button.tsx";
import { Stale } from "../ui/loaded.tsx";
import { ScrollRegion } from "../ui/scroll-region.tsx";
import { Loading, Problem } from "../ui/states.tsx";
import { useShown } from "../ui/use-shown.ts";
import type { Period } from "./period.ts";
import { reasonInWords } from "./reasons.ts";

interface TopKeysProps {
  readonly period: Pick<Period, "from" | "label">;
  /** Only keys that were denied for it; empty: all. */
  readonly reason: string;
  readonly onReason: (reason: string) => void;
}

/** The ten keys with most requests of a period, or with most denials for one reason. */
export function TopKeys({ period, reason, onReason }: TopKeysProps) {
  const { data, error, refetch, isPlaceholderData } = useQuery(
    UsageService.method.listTopKeys,
    { from: period.from, reason },
    { placeholderData: keepPreviousData },
  );
  const isRefused = error !== null && (data === undefined || isPlaceholderData);
  const shown = useShown({ label: period.label, reason }, isPlaceholderData);
  const keys = shown.reason === "" ? "Most used keys" : `${reasonInWords(shown.reason)}: keys`;
  const title = `${keys} in the last ${shown.label}`;
  return (
    <section className="section" aria-labelledby="top-keys" aria-busy={isPlaceholderData}>
      <div className="heading">
        <h2 id="top-keys">{title}</h2>
        {reason !== "" && (
          <div className="actions">
            <Link href={`/requests?reason=${encodeURIComponent(reason)}`}>Recent requests</Link>
            <Button onClick={() => onReason("")}>Show all keys</Button>
          </div>
        )}
      </div>
      {isRefused && <Problem error={error} retry={refetch} />}
      {data === undefined && error === null && <Loading what="keys" />}
      {data !== undefined && !isRefused && (
        <>
          <Stale error={error} retry={refetch} />
          <KeyTable keys={data.keys} reason={shown.reason} />
        </>
      )}
    </section>
  );
}

function KeyTable({ keys, reason }: { keys: readonly TopKey[]; reason: string }) {
  const { may } = useCaller();
  const names = reason === "" ? ["Requests", "Successful", "Denied"] : ["Denied"];
  return (
    <ScrollRegion label={reason === "" ? "Most used keys" : "Keys that were denied"}>
      <table>
        <caption className="hidden">The keys with most requests, most first</caption>
        <thead>
          <tr>
            <th scope="col">Key</th>
            {names.map((name) => (
              <th key={name} scope="col" className="number">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {keys.map(({ keyId, name, totalVerifications, successfulVerifications, failedVerifications }) => (
            <tr key={keyId}>
              <th scope="row" className="key-name">
                {may("api_keys:read") ? (
                  <Link href={`/keys/${keyId}`}>
                    <bdi>{name}</bdi>
                  </Link>
                ) : (
                  <bdi>{name}</bdi>
                )}
              </th>
              {reason === "" && (
                <>
                  <td className="number">{totalVerifications.toLocaleString("en")}</td>
                  <td className="number">{successfulVerifications.toLocaleString("en")}</td>
                </>
              )}
              <td className="number">{failedVerifications.toLocaleString("en")}</td>
            </tr>
          ))}
          {keys.length === 0 && (
            <tr>
              <td colSpan={names.length + 1} className="quiet">
                No key in this period.
              </td>
            </tr>
          )}
        </tbody>
      </table>
    </ScrollRegion>
  );
}
