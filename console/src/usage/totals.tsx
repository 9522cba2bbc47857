const SHARE = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 1 });

interface TotalsProps {
  readonly total: number;
  readonly successful: number;
  readonly denied: number;
}

/** Three counters side by side. */
export function Totals({ total, successful, denied }: TotalsProps) {
  return (
    <dl className="totals">
      <Total name="Requests" count={total} />
      <Total name="Successful" count={successful} of={total} />
      <Total name="Denied" count={denied} of={total} />
    </dl>
  );
}

function Total({ name, count, of = 0 }: { name: string; count: number; of?: number }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {count.toLocaleString("en")}
        {of > 0 && <span className="share"> {SHARE.format(count / of)}</span>}
      </dd>
    </div>
  );
}
