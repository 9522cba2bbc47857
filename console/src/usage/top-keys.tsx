import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { useQuery } from "@connectrpc/connect-query";
import { Link } from "wouter";
import { UsageService } from "../../../clients/typescript/src/gen/latchkey/v1/usage_service_pb.ts";
import { ScrollRegion } from "../ui/scroll-region.tsx";
import { Loading, Problem } from "../ui/states.tsx";

/** The ten keys with most requests of a period. */
export function TopKeys({ from, label }: { from: Timestamp; label: string }) {
  const { data, error, refetch } = useQuery(UsageService.method.listTopKeys, { from });
  return (
    <section className="section" aria-labelledby="top-keys">
      <h2 id="top-keys">Most used keys in the last {label}</h2>
      {error !== null && <Problem error={error} retry={refetch} />}
      {data === undefined && error === null && <Loading what="keys" />}
      {data !== undefined && (
        <ScrollRegion label="Most used keys">
          <table>
            <caption className="hidden">The keys with most requests, most first</caption>
            <thead>
              <tr>
                <th scope="col">Key</th>
                <th scope="col" className="number">
                  Requests
                </th>
                <th scope="col" className="number">
                  Successful
                </th>
                <th scope="col" className="number">
                  Denied
                </th>
              </tr>
            </thead>
            <tbody>
              {data.keys.map(({ keyId, name, totalVerifications, successfulVerifications, failedVerifications }) => (
                <tr key={keyId}>
                  <th scope="row" className="key-name">
                    <Link href={`/keys/${keyId}`}>{name}</Link>
                  </th>
                  <td className="number">{totalVerifications.toLocaleString("en")}</td>
                  <td className="number">{successfulVerifications.toLocaleString("en")}</td>
                  <td className="number">{failedVerifications.toLocaleString("en")}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollRegion>
      )}
    </section>
  );
}
