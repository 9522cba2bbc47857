import type { ComponentProps } from "react";

type Look = "plain" | "main" | "danger" | "quiet";

interface ButtonProps extends ComponentProps<"button"> {
  readonly look?: Look;
  /** While its call is under way it does nothing, and keeps the focus: a disabled one would lose it. */
  readonly busy?: boolean;
}

/** A button that does not send a form unless it says so. */
export function Button({ look = "plain", type = "button", className = "", busy = false, ...rest }: ButtonProps) {
  const shared = { type, className: `button button-${look} ${className}`.trim() };
  if (!busy) return <button {...shared} {...rest} />;
  return <button {...shared} {...rest} aria-disabled aria-busy onClick={(event) => event.preventDefault()} />;
}
