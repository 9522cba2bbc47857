import { useState } from "react";
import { Button } from "./button.tsx";

/** Copies a text, and says whether that worked. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const [said, setSaid] = useState("");
  const copy = async (): Promise<void> => {
    setSaid(
      await navigator.clipboard.writeText(text).then(
        () => "Copied",
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
