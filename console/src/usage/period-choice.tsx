import { Button } from "../ui/button.tsx";
import { PERIODS, type Period } from "./period.ts";

export function PeriodChoice({ period, onChange }: { period: Period; onChange: (name: Period["name"]) => void }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset has a border and a legend, which these buttons do not need
    <div className="segments" role="group" aria-label="Period">
      {PERIODS.map(({ name, label }) => (
        <Button key={name} aria-pressed={name === period.name} onClick={() => onChange(name)}>
          {label}
        </Button>
      ))}
    </div>
  );
}
