import { escaped } from "./html.ts";

/** The page on which one chooses who to be. `action`: where its form is sent. */
export function signInPage(
  action: string,
  users: readonly { readonly sub: string; readonly description: string }[],
): string {
  const choices = users.map(
    ({ sub, description }) =>
      `<li><button name="sub" value="${escaped(sub)}">${escaped(sub)}</button> <span>${escaped(description)}</span></li>`,
  );
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Sign in - Latchkey development</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 32rem; margin: 4rem auto; padding: 0 1rem; color: #1a1a1a; background: #fff }
  ul { list-style: none; padding: 0 } li { margin: .75rem 0 }
  button, input { font: inherit; padding: .5rem .75rem; border: 1px solid #767676; border-radius: .375rem; background: #fff; color: inherit }
  button { cursor: pointer; min-width: 9rem; text-align: left }
  span { color: #555 }
  @media (prefers-color-scheme: dark) { body { color: #eee; background: #161616 } button, input { background: #222 } span { color: #aaa } }
</style>
<h1>Sign in</h1>
<p>Development only: you sign in as the user that you choose.</p>
<form method="post" action="${escaped(action)}">
<ul>
${choices.join("\n")}
</ul>
</form>
<form method="post" action="${escaped(action)}">
<label>New user: <input name="sub" required maxlength="256" placeholder="user id"></label>
<button>Sign in</button>
</form>
</html>
`;
}
