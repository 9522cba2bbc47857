const PERCENT = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 0, signDisplay: "exceptZero" });
const PERCENT_MAX = 10;

/** How a count differs from that of the period before, such as `+12%`. Nothing where that had none. */
export function Change({ now, before }: { now: number; before: number | undefined }) {
  if (before === undefined || before === 0) return null;
  const change = now / before - 1;
  const shown = change > PERCENT_MAX ? `${Math.round(now / before).toLocaleString("en")}×` : PERCENT.format(change);
  return <span className="change"> {shown}</span>;
}
