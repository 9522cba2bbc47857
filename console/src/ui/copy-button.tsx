import { useState } from "react";
import { Button } from "./button.tsx";

interface CopyButtonProps {
  readonly text: string;
  readonly label: string;
  /** It is in the clipboard. */
  readonly onCopied?: () => void;
}

/** Copies a text, and says whether that worked. */
export function CopyButton({ text, label, onCopied }: CopyButtonProps) {
  const [said, setSaid] = useState("");
  const copy = async (): Promise<void> => {
    setSaid(
      await navigator.clipboard.writeText(text).then(
        () => {
          onCopied?.();
          return "Copied";
        },
        () => "Could not copy: select the text instead",
      ),
    );
  };
  return (
    <>
      <span role="status" className="quiet">
        {said}
      </span>
      <Button onClick={() => void copy()}>{label}</Button>
    </>
  );
}
