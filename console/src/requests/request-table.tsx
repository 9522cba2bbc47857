import "../styles/disclosure.css";
import "../styles/requests.css";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { type MouseEvent, type ReactNode, useId, useState } from "react";
import { Link } from "wouter";
import type { RecentRequest } from "../../../clients/typescript/src/gen/latchkey/v1/request_pb.ts";
import { useCaller } from "../api/caller.tsx";
import { Badge, type Tone } from "../ui/badge.tsx";
import { exactly } from "../ui/time.tsx";
import { reasonInWords } from "../usage/reasons.ts";
import { useKeyNames } from "./key-names.ts";
import { RequestExplanation } from "./request-explanation.tsx";
import { VERDICTS } from "./request-filters.ts";

const TONES: Readonly<Record<string, Tone>> = { admitted: "good", denied: "bad", failed: "warn" };
const SHOWN_CHARS = 12;
const TIME = new Intl.DateTimeFormat("en", { timeStyle: "medium", hourCycle: "h23" });
const DAY = new Intl.DateTimeFormat("en", { month: "short", day: "numeric" });

interface RequestTableProps {
  readonly requests: readonly RecentRequest[];
  /** Whether all are of one key, which the page names already. */
  readonly isOfOneKey?: boolean;
  /** Whether the first row is open at first. */
  readonly isFirstOpen?: boolean;
}

/** A row for each request, which opens to its explanation. Columns that a narrow page has no room for are in there, too. */
export function RequestTable({ requests, isOfOneKey = false, isFirstOpen = false }: RequestTableProps) {
  const { byId } = useKeyNames(requests.map(({ keyId }) => keyId));
  const columns = ["Time", "Request", "Verdict", ...(isOfOneKey ? [] : ["Key"]), "Address", "User", "Request id"];
  return (
    <div className="scroll requests">
      <table>
        <caption className="hidden">Recent requests, newest first. Each row opens to its explanation.</caption>
        <thead>
          <tr>
            {columns.map((name) => (
              <th key={name} scope="col" className={WIDE_ONLY[name]}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {requests.map((request, n) => (
            <Row
              key={rowKeyOf(request)}
              request={request}
              keyName={byId.get(request.keyId)}
              columns={columns.length}
              isOfOneKey={isOfOneKey}
              isOpenAtFirst={isFirstOpen && n === 0}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Classes of the cells that narrow pages leave out. */
const WIDE_ONLY: Readonly<Record<string, string>> = {
  Key: "wide",
  Address: "wider",
  User: "wider",
  "Request id": "wider",
};

interface RowProps {
  readonly request: RecentRequest;
  /** Undefined: not known, or not yet. */
  readonly keyName: string | undefined;
  readonly columns: number;
  readonly isOfOneKey: boolean;
  readonly isOpenAtFirst: boolean;
}

function Row({ request, keyName, columns, isOfOneKey, isOpenAtFirst }: RowProps) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const details = useId();
  const { requestId, at, keyId, tokenId, userId, address, rpc, scope, verdict, reason } = request;
  const toggle = (): void => setOpen(!isOpen);
  const time = at && timestampDate(at);
  return (
    <>
      {/* The button in its first cell does the same by keyboard. */}
      <tr className="request" data-open={isOpen || undefined} onClick={(event) => isOwnClick(event) && toggle()}>
        <td className="request-time">
          <button type="button" className="disclosure" aria-expanded={isOpen} aria-controls={details} onClick={toggle}>
            {time && (
              <time dateTime={time.toISOString()} title={exactly(time)}>
                {timeOf(time)}
              </time>
            )}
            <span className="hidden"> Explain</span>
          </button>
        </td>
        <td className="request-rpc">
          <code>{rpcInWords(rpc)}</code> {scope !== "" && <code className="quiet">{scope}</code>}
        </td>
        <td className={reason === "" ? "request-verdict" : "request-verdict request-reasoned"}>
          <Badge tone={TONES[verdict] ?? "quiet"}>{VERDICTS[verdict] ?? verdict}</Badge>{" "}
          {reason !== "" && <span>{reasonInWords(reason)}</span>}
        </td>
        {!isOfOneKey && (
          <td className="wide">
            <KeyCell keyId={keyId} name={keyName} />
            {tokenId && <span className="block quiet small">by {beginOf(tokenId)}</span>}
          </td>
        )}
        <td className="wider">{orNone(address)}</td>
        <td className="wider request-user">{orNone(userId)}</td>
        <td className="wider">
          <code title={requestId}>{beginOf(requestId)}</code>
        </td>
      </tr>
      <tr id={details} className="request-more" hidden={!isOpen}>
        <td colSpan={columns}>{isOpen && <RequestExplanation request={request} />}</td>
      </tr>
    </>
  );
}

/** Without the package, and with a place to break the line. */
function rpcInWords(rpc: string): ReactNode {
  if (rpc === "") return "unknown path";
  const [service = "", method] = rpc.slice(rpc.lastIndexOf(".") + 1).split("/");
  return method === undefined ? (
    service
  ) : (
    <>
      {service}/<wbr />
      {method}
    </>
  );
}

/** Not one on a link or the button, and not the end of a selection of text. */
function isOwnClick({ target }: MouseEvent): boolean {
  const isControl = target instanceof Element && target.closest("a, button") !== null;
  return !isControl && (getSelection()?.isCollapsed ?? true);
}

function KeyCell({ keyId, name }: { keyId: string; name: string | undefined }) {
  const { may } = useCaller();
  if (keyId === "") return orNone("");
  const shown = name === undefined ? <code>{beginOf(keyId)}</code> : <bdi>{name}</bdi>;
  if (!may("api_keys:read")) return shown;
  return (
    <Link href={`/keys/${keyId}`} title={keyId}>
      {shown}
    </Link>
  );
}

function orNone(text: string): ReactNode {
  return text === "" ? <span className="quiet">none</span> : <bdi title={text}>{text}</bdi>;
}

function beginOf(id: string): string {
  return id.length <= SHOWN_CHARS ? id : `${id.slice(0, SHOWN_CHARS)}…`;
}

/** Today's without the day. */
function timeOf(at: Date): string {
  const isToday = at.toDateString() === new Date().toDateString();
  return isToday ? TIME.format(at) : `${DAY.format(at)}, ${TIME.format(at)}`;
}

/** Clients may choose ids, and use one twice. */
function rowKeyOf({ requestId, at }: RecentRequest): string {
  return `${requestId} ${at?.seconds} ${at?.nanos}`;
}
