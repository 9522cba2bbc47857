import { useState } from "react";
import { Button } from "./button.tsx";
import { Check, Copy } from "./icons.tsx";
import { useTimeout } from "./use-timeout.ts";

const SAYS_MS = 2_000;

/** An id, with a button that copies it. `name`: what the button copies, such as `key id`. `shown`: instead of the whole text. */
export function CopyId({ text, name, shown = text }: { text: string; name: string; shown?: string }) {
  const [said, setSaid] = useState("");
  useTimeout(() => setSaid(""), said === "Copied" ? SAYS_MS : undefined);
  const copy = async (): Promise<void> => {
    setSaid(
      await navigator.clipboard.writeText(text).then(
        () => "Copied",
        () => "Could not copy: select the text instead",
      ),
    );
  };
  return (
    <span className="copy-id">
      <code>{shown}</code>
      <Button look="quiet" className="button-icon" aria-label={`Copy ${name}`} onClick={() => void copy()}>
        {said === "Copied" ? <Check /> : <Copy />}
      </Button>
      <span role="status" className={said === "Copied" ? "hidden" : "quiet small"}>
        {said}
      </span>
    </span>
  );
}
