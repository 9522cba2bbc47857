/** Texts that programs print where a variable is unset. */
const UNSET = /^(?:undefined|null|none|nil|nan|false|\[object \w+\])$/i;
/** `<API_KEY>`, `$API_KEY`, `${API_KEY}`, `{{api_key}}`, `%API_KEY%`, `your-api-key`. */
const TEMPLATE = /^(?:<.*>|\$\w+|\$\{.*\}|\{\{.*\}\}|%\w+%|your[-_ ].*)$/i;

/** Whether a credential's value is a placeholder from an example, or the text of an unset variable. */
export function isPlaceholder(value: string): boolean {
  return UNSET.test(value) || TEMPLATE.test(value);
}

const QUOTES = /^["'`]|["'`]$/;

/** Whether a value still has the quotes that it had in a program, a shell or a file of variables. */
export function isQuoted(value: string): boolean {
  return QUOTES.test(value);
}
