import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import { exactly } from "../ui/time.tsx";

const HOUR_MS = 3_600_000;

/** The lives of the old and the new key as two bars, each with its name in it, and the time in which both work. */
export function RotationTimeline({ graceHours, oldEndsAt }: { graceHours: number; oldEndsAt: Timestamp | undefined }) {
  const now = new Date();
  const byGrace = new Date(now.getTime() + graceHours * HOUR_MS);
  const own = oldEndsAt && timestampDate(oldEndsAt);
  const ends = own !== undefined && own < byGrace ? own : byGrace;
  const isAtOnce = ends.getTime() <= now.getTime();
  const sentence = isAtOnce
    ? "The old key ends now. Only the new key works."
    : `Both keys work until ${exactly(ends)}. Then only the new one does.`;
  return (
    <figure>
      <div className={isAtOnce ? "timeline timeline-at-once" : "timeline"} role="img" aria-label={sentence}>
        <div className="timeline-old">
          <span>Old key</span>
          {!isAtOnce && <span>Both work</span>}
        </div>
        <div className="timeline-new">
          <span>New key</span>
        </div>
        <span className="timeline-now">Now</span>
        {!isAtOnce && <span className="timeline-end">{exactly(ends)}</span>}
      </div>
      <figcaption className="hint">{sentence}</figcaption>
    </figure>
  );
}
