import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import { exactly } from "../ui/time.tsx";

const HOUR_MS = 3_600_000;
/** Of the drawing, in its own units. */
const WIDTH = 560;
const NOW = 120;
const END = 400;

/** The lives of the old and the new key as two bars, with the time in which both work between them. */
export function RotationTimeline({ graceHours, oldEndsAt }: { graceHours: number; oldEndsAt: Timestamp | undefined }) {
  const now = new Date();
  const byGrace = new Date(now.getTime() + graceHours * HOUR_MS);
  const own = oldEndsAt && timestampDate(oldEndsAt);
  const ends = own !== undefined && own < byGrace ? own : byGrace;
  const isAtOnce = ends.getTime() <= now.getTime();
  const oldEnd = isAtOnce ? NOW : END;
  const sentence = isAtOnce
    ? "The old key ends now. Only the new key works."
    : `Both keys work until ${exactly(ends)}. Then only the new one does.`;
  return (
    <figure>
      <svg className="timeline" viewBox={`0 0 ${WIDTH} 130`} role="img" aria-label={sentence}>
        {!isAtOnce && <rect className="overlap" x={NOW} y="8" width={END - NOW} height="86" />}
        <rect className="old" x="10" y="18" width={oldEnd - 10} height="22" rx="4" />
        <rect className="new" x={NOW} y="62" width={WIDTH - NOW - 10} height="22" rx="4" />
        <text x="10" y="56">
          old key
        </text>
        <text x={WIDTH - 10} y="56" textAnchor="end">
          new key
        </text>
        {!isAtOnce && (
          <text x={(NOW + END) / 2} y="56" textAnchor="middle">
            both work
          </text>
        )}
        <line className="axis" x1="10" y1="100" x2={WIDTH - 10} y2="100" />
        <text x={NOW} y="120" textAnchor="middle">
          now
        </text>
        {!isAtOnce && (
          <text x={END} y="120" textAnchor="middle">
            {exactly(ends)}
          </text>
        )}
      </svg>
      <figcaption>{sentence}</figcaption>
    </figure>
  );
}
