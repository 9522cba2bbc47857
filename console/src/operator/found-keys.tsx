import { useQuery } from "@connectrpc/connect-query";
import { type FormEvent, useState } from "react";
import { type ApiKey, KeyStatus } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_pb.ts";
import { OperatorService } from "../../../clients/typescript/src/gen/latchkey/v1/operator_service_pb.ts";
import { Badge, type Tone } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { CopyId } from "../ui/copy-id.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { Field } from "../ui/field.tsx";
import { Stale } from "../ui/loaded.tsx";
import { Pages } from "../ui/pages.tsx";
import { ScrollRegion } from "../ui/scroll-region.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { Problem } from "../ui/states.tsx";
import { Time } from "../ui/time.tsx";
import { TenantActions } from "./tenant-actions.tsx";

/** Of a key, all that the service compares of its beginning: what is a secret in it is never sent. */
const PREFIX_CHARS = 12;
const PREFIX_CHARS_MIN = 6;

const STATUSES: Partial<Record<KeyStatus, readonly [string, Tone]>> = {
  [KeyStatus.ACTIVE]: ["Active", "good"],
  [KeyStatus.EXPIRED]: ["Expired", "quiet"],
  [KeyStatus.DISABLED]: ["Disabled", "warn"],
  [KeyStatus.REVOKED]: ["Revoked", "bad"],
};

/** Finds keys of all tenants. The address never has the typed text, since it may be a whole key. */
export function FoundKeys() {
  const [typed, setTyped] = useState("");
  const [asked, setAsked] = useState("");
  const [page, setPage] = useState(1);
  const find = (event: FormEvent): void => {
    event.preventDefault();
    const text = typed.trim();
    const begin = text.startsWith("key_") ? text : text.slice(0, PREFIX_CHARS);
    setTyped(begin);
    setAsked(begin);
    setPage(1);
  };
  const isTooShort = asked !== "" && !asked.startsWith("key_") && asked.length < PREFIX_CHARS_MIN;
  return (
    <>
      <form className="operator-search" onSubmit={find}>
        <Field
          label="Key"
          hint="Its id, its beginning, or the whole key: of that, the first 12 characters are sent."
          problem={isTooShort ? `At least ${PREFIX_CHARS_MIN} characters of the key.` : undefined}
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={setTyped}
        />
        <Button type="submit" look="main">
          Find
        </Button>
      </form>
      {asked !== "" && !isTooShort && <Found asked={asked} page={page} onPage={setPage} />}
    </>
  );
}

function Found({ asked, page, onPage }: { asked: string; page: number; onPage: (page: number) => void }) {
  const search = asked.startsWith("key_") ? { keyId: asked } : { keyPrefix: asked };
  const { data, error, refetch } = useQuery(OperatorService.method.findKeys, { ...search, page });
  if (data === undefined)
    return error === null ? <Skeleton what="keys" kind="table" /> : <Problem error={error} retry={refetch} />;
  if (data.keys.length === 0) {
    return (
      <EmptyState title="No key matches">
        <p>Keys are found by their whole id, or by their first characters.</p>
      </EmptyState>
    );
  }
  return (
    <>
      <Stale error={error} retry={refetch} />
      <ScrollRegion label="Keys">
        <table>
          <thead>
            <tr>
              <th scope="col">Key</th>
              <th scope="col">Tenant</th>
              <th scope="col">Status</th>
              <th scope="col">Last used</th>
              <th scope="col">
                <span className="hidden">What you can do</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {data.keys.map((key) => (
              <Row key={key.keyId} apiKey={key} />
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      <Pages pagination={data.pagination} onPage={onPage} />
    </>
  );
}

function Row({ apiKey: key }: { apiKey: ApiKey }) {
  const { keyId, keyPrefix, name, tenantId = "", tenantSuspended = false, status, lastUsedAt } = key;
  const [words, tone] = STATUSES[status] ?? ["Unknown", "quiet"];
  return (
    <tr>
      <th scope="row" className="operator-name">
        {name} <code className="quiet">{keyPrefix}…</code>
        <CopyId text={keyId} name="key id" />
      </th>
      <td>
        <CopyId text={tenantId} name="tenant id" />
      </td>
      <td>
        <span className="chips">
          <Badge tone={tone}>{words}</Badge>
          {tenantSuspended && <Badge tone="bad">Tenant suspended</Badge>}
        </span>
      </td>
      <td>
        <Time at={lastUsedAt} />
      </td>
      <td className="row-actions">
        <TenantActions tenantId={tenantId} name="" isSuspended={tenantSuspended} />
      </td>
    </tr>
  );
}
