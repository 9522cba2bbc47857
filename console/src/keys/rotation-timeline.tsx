import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import { exactly } from "../ui/time.tsx";

const HOUR_MS = 3_600_000;
/** Of the drawing, in its own units. */
const WIDTH = 560;
const NOW = 150;
const END = 410;
const EDGE = 4;

/** The lives of the old and the new key as two bars, each with its name in it, and the time in which both work. */
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
      <svg className="timeline" viewBox={`0 0 ${WIDTH} 112`} role="img" aria-label={sentence}>
        <rect className="old" x={EDGE} y="8" width={oldEnd - EDGE} height="30" rx="6" />
        <text className="old-name" x={EDGE + 12} y="28">
          Old key
        </text>
        <rect className="new" x={NOW} y="46" width={WIDTH - NOW - EDGE} height="30" rx="6" />
        <text className="new-name" x={NOW + 12} y="66">
          New key
        </text>
        {!isAtOnce && (
          <>
            <text className="old-name" x={(NOW + END) / 2} y="28" textAnchor="middle">
              Both work
            </text>
            <line className="end" x1={END} y1="4" x2={END} y2="84" />
            <text x={END} y="102" textAnchor="middle">
              {exactly(ends)}
            </text>
          </>
        )}
        <line className="end" x1={NOW} y1="4" x2={NOW} y2="84" />
        <text x={NOW} y="102" textAnchor="middle">
          Now
        </text>
      </svg>
      <figcaption className="hint">{sentence}</figcaption>
    </figure>
  );
}
