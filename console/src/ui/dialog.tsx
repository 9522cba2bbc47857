import { type ComponentType, lazy, Suspense, useRef } from "react";
import type { DialogProps } from "./dialog-popup.tsx";

const load = () => import("./dialog-popup.tsx");

/** Loads what dialogs need before one opens. */
export function preloadDialogs(): void {
  // One that opens tries again.
  load().catch(() => undefined);
}

/**
 * A dialog with a title. The library keeps the focus in it and gives it back. A click beside it does not close it: what was
 * typed would be lost.
 */
export const Dialog = loadedWithFirst(lazy(async () => ({ default: (await load()).DialogPopup })));

/** A dialog that interrupts: readers announce it as an alert. For questions, and for what should not go by accident. */
export const Alert = loadedWithFirst(lazy(async () => ({ default: (await load()).AlertPopup })));

/** Nothing until it opens for the first time. It stays then, since it is the library that gives back the focus. */
function loadedWithFirst(Popup: ComponentType<DialogProps>) {
  return function LoadedWithFirst(props: DialogProps) {
    const wasOpen = useRef(false);
    wasOpen.current ||= props.open;
    if (!wasOpen.current) return null;
    return (
      <Suspense fallback={null}>
        <Popup {...props} />
      </Suspense>
    );
  };
}
