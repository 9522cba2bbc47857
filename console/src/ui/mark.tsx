/** The mark: a key whose bow is the latch's ring. As `icon.svg`. */
export function Mark() {
  return (
    <svg className="mark" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="var(--accent)" />
      <g fill="none" stroke="var(--on-accent)" strokeWidth="2.75" strokeLinecap="round">
        <circle cx="12.5" cy="12.5" r="4.75" />
        <path d="m16 16 8.5 8.5m-4.25-4.25L23 17.5" />
      </g>
    </svg>
  );
}
