import { type RefObject, useEffect } from "react";

/**
 * Gives the focus to a place where what had it is gone, such as the button of a key that was revoked: without that it
 * falls to the body, and keyboard and reader begin at the top.
 */
export function useFocusKept(place: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    let last: Element | null = null;
    const remember = ({ target }: FocusEvent): void => {
      last = target instanceof Element ? target : null;
    };
    const look = (): void => {
      if (last === null || last.isConnected) return;
      last = null;
      // After what the library of dialogs does with it.
      setTimeout(() => {
        const { activeElement } = document;
        if (activeElement === null || activeElement === document.body) place.current?.focus({ preventScroll: true });
      });
    };
    const observer = new MutationObserver(look);
    observer.observe(document.body, { childList: true, subtree: true });
    document.addEventListener("focusin", remember);
    return () => {
      observer.disconnect();
      document.removeEventListener("focusin", remember);
    };
  }, [place]);
}
