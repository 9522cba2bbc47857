/** What the OpenAPI document has of a value's form. */
export interface OpenapiSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, OpenapiSchema>>;
  readonly required?: readonly string[];
  readonly items?: OpenapiSchema;
  readonly additionalProperties?: boolean | OpenapiSchema;
}

type Schemas = Readonly<Record<string, OpenapiSchema>>;

/** The members of an object as a table. */
export function membersOf(schema: OpenapiSchema, schemas: Schemas): string {
  const { properties = {}, required = [] } = resolved(schema, schemas);
  const rows = Object.entries(properties).map(([name, member]) => {
    const mark = required.includes(name) ? "" : "?";
    return `| \`${name}\`${mark} | ${typeOf(member)} | ${cell(member.description ?? "")} |`;
  });
  if (rows.length === 0) return "An empty object.";
  return ["| Member | Type | |", "| --- | --- | --- |", ...rows].join("\n");
}

/** The names of the schemas that are not described by a table of members themselves, in the order in which they occur. */
export function schemasOf(roots: readonly OpenapiSchema[], schemas: Schemas): readonly string[] {
  const names = new Set<string>();
  const visit = (schema: OpenapiSchema): void => {
    const name = nameOf(schema);
    if (name !== undefined) {
      if (names.has(name)) return;
      names.add(name);
    }
    for (const inner of innerOf(resolved(schema, schemas))) visit(inner);
  };
  for (const root of roots) for (const inner of innerOf(resolved(root, schemas))) visit(inner);
  return [...names];
}

/** The schemas that members of the tables above have, each with a section. */
export function typeSections(names: readonly string[], schemas: Schemas): readonly string[] {
  if (names.length === 0) return [];
  const sections = names.map((name) => {
    const schema = schemas[name] ?? {};
    const members = schema.properties === undefined ? "" : `\n\n${membersOf(schema, schemas)}`;
    return `### ${name}\n\n${escaped(schema.description ?? "")}${members}`;
  });
  return ["## Types", ...sections];
}

function innerOf({ properties = {}, items, additionalProperties }: OpenapiSchema): readonly OpenapiSchema[] {
  const values = typeof additionalProperties === "object" ? [additionalProperties] : [];
  return [...Object.values(properties), ...(items === undefined ? [] : [items]), ...values];
}

function typeOf(schema: OpenapiSchema): string {
  const name = nameOf(schema);
  if (name !== undefined) return `[${name}](#${name.toLowerCase()})`;
  if (schema.items !== undefined) return `list of ${typeOf(schema.items)}`;
  if (typeof schema.additionalProperties === "object") return `map of ${typeOf(schema.additionalProperties)}`;
  return schema.format ?? [schema.type ?? "any"].flat().join(" or ");
}

function resolved(schema: OpenapiSchema, schemas: Schemas): OpenapiSchema {
  const name = nameOf(schema);
  return name === undefined ? schema : (schemas[name] ?? {});
}

function nameOf({ $ref }: OpenapiSchema): string | undefined {
  return $ref?.slice($ref.lastIndexOf("/") + 1);
}

/** Paragraphs and lists in a cell of a table. */
function cell(text: string): string {
  return escaped(text)
    .replaceAll("|", "\\|")
    .replaceAll("\n\n", "<br><br>")
    .replaceAll(/\n- /g, "<br>• ")
    .replaceAll("\n", " ");
}

/** Text with angle brackets outside of code, which would be elements of the page. */
function escaped(text: string): string {
  return text
    .split("`")
    .map((part, index) => (index % 2 === 0 ? part.replaceAll("<", "&lt;") : part))
    .join("`");
}
