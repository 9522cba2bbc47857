import { useEffect } from "react";

const APP = "Latchkey";

/** The document's title while a page is shown: `Keys · Latchkey`. `PageHeader` sets it by itself. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${APP}`;
    return () => {
      document.title = APP;
    };
  }, [title]);
}
