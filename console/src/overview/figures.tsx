import { Link } from "wouter";
import type { ApiKeyUsage } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_service_pb.ts";
import { Change } from "../usage/change.tsx";

const SHARE = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 1 });

interface FiguresProps {
  /** Undefined: not known yet. */
  readonly keys: number | undefined;
  readonly activeKeys: number | undefined;
  /** Of the last 24 hours, and of those before. */
  readonly usage: ApiKeyUsage | undefined;
  readonly before: ApiKeyUsage | undefined;
}

/** Three figures, each of which leads to its page. */
export function Figures({ keys, activeKeys, usage, before }: FiguresProps) {
  const { totalVerifications: total = 0, failedVerifications: denied = 0 } = usage ?? {};
  return (
    <ul className="figures">
      <li>
        <Link className="figure" href="/keys">
          <span className="figure-name">Active keys</span>
          <span className="figure-value">{activeKeys?.toLocaleString("en") ?? "–"}</span>
          <span className="hint">{keys !== undefined && `of ${keys.toLocaleString("en")}`}</span>
        </Link>
      </li>
      <li>
        <Link className="figure" href="/usage">
          <span className="figure-name">Requests, 24 hours</span>
          <span className="figure-value">{total.toLocaleString("en")}</span>
          <span className="hint">
            <Change now={total} before={before?.totalVerifications} />
            {(before?.totalVerifications ?? 0) > 0 && " vs. the 24 hours before"}
          </span>
        </Link>
      </li>
      <li>
        <Link className="figure" href="/usage">
          <span className="figure-name">Denied, 24 hours</span>
          <span className="figure-value">{total === 0 ? "–" : SHARE.format(denied / total)}</span>
          <span className="hint">{`${denied.toLocaleString("en")} ${denied === 1 ? "request" : "requests"}`}</span>
        </Link>
      </li>
    </ul>
  );
}
