import { Button } from "../ui/button.tsx";

interface TokenPagesProps {
  /** Empty: the newest are shown. */
  readonly pageToken: string;
  /** Of the page after; empty on the last page. */
  readonly next: string | undefined;
  readonly onPage: (pageToken: string) => void;
}

/** Goes through a list that the service pages by tokens. Nothing where there is one page. */
export function TokenPages({ pageToken, next = "", onPage }: TokenPagesProps) {
  if (pageToken === "" && next === "") return null;
  return (
    <nav className="pages" aria-label="Pages">
      <Button disabled={pageToken === ""} onClick={() => onPage("")}>
        Newest
      </Button>
      <Button disabled={next === ""} onClick={() => onPage(next)}>
        Older
      </Button>
    </nav>
  );
}
