import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { useQuery } from "@connectrpc/connect-query";
import { type ReactNode, useMemo } from "react";
import { Link } from "wouter";
import { type ApiKey, KeyStatus } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_pb.ts";
import {
  ApiKeyService,
  type ListApiKeysResponse,
} from "../../../clients/typescript/src/gen/latchkey/v1/api_key_service_pb.ts";
import { Badge, type Tone } from "../ui/badge.tsx";
import { Card } from "../ui/card.tsx";
import { CircleCheck } from "../ui/icons.tsx";
import { type QueryLike, Stale } from "../ui/loaded.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { Problem } from "../ui/states.tsx";
import { Time } from "../ui/time.tsx";
import { reasonInWords } from "../usage/reasons.ts";
import { sumsOf, type Uses } from "../usage/uses.ts";

const DAY_MS = 86_400_000;
const DAYS = 30;
/** Keys of each kind. */
const SHOWN = 5;
const REASONS_SHOWN = 3;

/** The facts that need attention, the most urgent first. `uses` are those of the last day. */
export function Attention({ uses }: { uses: readonly Uses[] }) {
  const instants = useInstants();
  const leaked = useQuery(ApiKeyService.method.listApiKeys, { leaked: true, perPage: SHOWN });
  const expiring = useQuery(ApiKeyService.method.listApiKeys, {
    ...{ status: KeyStatus.ACTIVE, perPage: SHOWN },
    expiresBefore: instants.soon,
  });
  const unused = useQuery(ApiKeyService.method.listApiKeys, {
    ...{ status: KeyStatus.ACTIVE, perPage: SHOWN },
    lastUsedBefore: instants.longAgo,
  });
  const { reasons } = useMemo(() => sumsOf(uses), [uses]);
  const queries: readonly QueryLike<ListApiKeysResponse>[] = [leaked, expiring, unused];
  const failed = queries.find(({ error }) => error !== null);
  // A leaked key that is revoked is dealt with.
  const open = leaked.data?.keys.filter(({ status }) => status !== KeyStatus.REVOKED) ?? [];
  const isQuiet = open.length + total(expiring.data) + total(unused.data) + reasons.length === 0;
  return (
    <Card title="Needs attention">
      {failed?.data !== undefined && <Stale error={failed.error} retry={failed.refetch} />}
      {failed !== undefined && failed.data === undefined && <Problem error={failed.error} retry={failed.refetch} />}
      {failed === undefined && queries.some(({ data }) => data === undefined) && (
        <Skeleton what="what needs attention" />
      )}
      {queries.every(({ data }) => data !== undefined) && isQuiet && (
        <p className="all-well">
          <CircleCheck /> Nothing: no key is leaked, expires within {DAYS} days or is unused, and no request was denied
          today.
        </p>
      )}
      <ul className="attention">
        {open.map((key) => (
          <KeyItem key={key.keyId} apiKey={key} tone="bad" badge="Leaked">
            reported <Time at={key.leakedAt} />: replace and revoke it
          </KeyItem>
        ))}
        {expiring.data?.keys.map((key) => (
          <KeyItem key={key.keyId} apiKey={key} tone="warn" badge="Expires">
            <Time at={key.expiresAt} />
          </KeyItem>
        ))}
        <More data={expiring.data} tone="warn" badge="Expires" />
        {reasons.slice(0, REASONS_SHOWN).map(({ reason, count }) => (
          <Item key={reason} tone="bad" badge="Denied" name={<DenialLink reason={reason} />}>
            {count.toLocaleString("en")} {count === 1 ? "request" : "requests"} in the last 24 hours
          </Item>
        ))}
        {unused.data?.keys.map((key) => (
          <KeyItem key={key.keyId} apiKey={key} tone="quiet" badge="Unused">
            last used <Time at={key.lastUsedAt} />
          </KeyItem>
        ))}
        <More data={unused.data} tone="quiet" badge="Unused" />
      </ul>
    </Card>
  );
}

/** The same for a day, so that the lists are loaded once. */
function useInstants() {
  const today = Math.floor(Date.now() / DAY_MS);
  return useMemo(
    () => ({
      soon: timestampFromDate(new Date((today + 1 + DAYS) * DAY_MS)),
      longAgo: timestampFromDate(new Date((today - DAYS) * DAY_MS)),
    }),
    [today],
  );
}

function total(data: ListApiKeysResponse | undefined): number {
  return data?.pagination?.total ?? 0;
}

function DenialLink({ reason }: { reason: string }) {
  return <Link href={`/usage?reason=${encodeURIComponent(reason)}`}>{reasonInWords(reason)}</Link>;
}

interface ItemProps {
  readonly tone: Tone;
  readonly badge: string;
  readonly name: ReactNode;
  readonly children: ReactNode;
}

function Item({ tone, badge, name, children }: ItemProps) {
  return (
    <li>
      <Badge tone={tone}>{badge}</Badge>
      <span className="attention-name">{name}</span>
      <span className="quiet">{children}</span>
    </li>
  );
}

function KeyItem({ apiKey: { keyId, name }, ...rest }: { apiKey: ApiKey } & Omit<ItemProps, "name">) {
  return (
    <Item
      {...rest}
      name={
        <Link href={`/keys/${keyId}`}>
          <bdi>{name}</bdi>
        </Link>
      }
    />
  );
}

function More({ data, tone, badge }: { data: ListApiKeysResponse | undefined } & Pick<ItemProps, "tone" | "badge">) {
  const more = total(data) - (data?.keys.length ?? 0);
  if (more <= 0) return null;
  return (
    <Item
      tone={tone}
      badge={badge}
      name={
        <Link href="/keys">
          {more.toLocaleString("en")} more {more === 1 ? "key" : "keys"}
        </Link>
      }
    >
      {""}
    </Item>
  );
}
