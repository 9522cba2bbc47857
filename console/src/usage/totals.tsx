import { Change } from "./change.tsx";

const SHARE = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 1 });

export interface Counts {
  readonly total: number;
  readonly successful: number;
  readonly denied: number;
}

interface TotalsProps extends Counts {
  /** Of the period before. */
  readonly before?: Counts | undefined;
}

/** Three counters side by side. */
export function Totals({ total, successful, denied, before }: TotalsProps) {
  return (
    <dl className="totals">
      <Total name="Requests" count={total} before={before?.total} />
      <Total name="Successful" count={successful} of={total} before={before?.successful} />
      <Total name="Denied" count={denied} of={total} before={before?.denied} />
    </dl>
  );
}

interface TotalProps {
  readonly name: string;
  readonly count: number;
  readonly of?: number;
  readonly before: number | undefined;
}

function Total({ name, count, of = 0, before }: TotalProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {count.toLocaleString("en")}
        {of > 0 && <span className="share"> {SHARE.format(count / of)}</span>}
        <Change now={count} before={before} />
      </dd>
    </div>
  );
}
