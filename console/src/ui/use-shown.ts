import { useRef } from "react";

/**
 * What the data on the page was asked with. While the data of another choice is loaded, the old stays, and so must its heading,
 * its unit and all else that is said of it.
 */
export function useShown<Asked>(asked: Asked, isPlaceholderData: boolean): Asked {
  const shown = useRef(asked);
  if (!isPlaceholderData) shown.current = asked;
  return shown.current;
}
