import { type DescField, type DescMessage, isMessage, type Message, toJson } from "@bufbuild/protobuf";
import { ListValueSchema, TimestampSchema } from "@bufbuild/protobuf/wkt";
import { RateLimitSchema } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_pb.ts";
import {
  ActorSchema,
  AuditEventSchema,
  InvitationMakerSchema,
  RequestExplanationSchema,
} from "../../../clients/typescript/src/index.ts";
import type { Column, Tone } from "../output/column.ts";
import { actorName, changed, instant, limits, yesOrNo } from "../output/values.ts";
import { isSecret, wordOf } from "./member-options.ts";
import { EMPTY_AT_ZERO, HIDDEN, TABLES, TONES } from "./tables.ts";

/** The columns of a message: those of its table, then all other members that can be shown, only in a record. */
export function columnsOf(desc: DescMessage): readonly Column<Message>[] {
  const fields = desc.fields.filter((field) => !HIDDEN.has(field.name) && !isSecret(field));
  const [table = "", record = ""] = (TABLES[desc.name] ?? fields.map(({ name }) => name).join(" ")).split(" | ");
  const inTable = table.split(" ");
  const onlyInRecord = record.split(" ").filter(Boolean);
  const picked = [
    ...inTable.map((spec) => columnOf(desc, spec)),
    ...onlyInRecord.map((spec) => inRecord(columnOf(desc, spec))),
  ];
  const taken = new Set([...inTable, ...onlyInRecord].map((spec) => partsOf(spec).path.split(".")[0]));
  const others = fields.filter(({ name }) => !taken.has(name) && name !== "tenant_id");
  return [...picked, ...others.map(({ name }) => inRecord(columnOf(desc, name))), ...(OTHERS[desc.name] ?? [])];
}

/** The same, with the tenant, which the service names only to the operator. */
export function tenantColumnsOf(desc: DescMessage): readonly Column<Message>[] {
  const columns = columnsOf(desc);
  const lacksTenant =
    desc.fields.some(({ name }) => name === "tenant_id") && columns.every(({ name }) => name !== "tenant_id");
  return lacksTenant ? [columnOf(desc, "tenant_id"), ...columns] : columns;
}

function inRecord(column: Column<Message>): Column<Message> {
  return { ...column, onlyInRecord: true };
}

/** Of a column's `name=path~`. */
function partsOf(spec: string) {
  const [, name, path = "", mark] = /^(?:(\w+)=)?([\w.]+)(~?)$/.exec(spec) ?? [];
  return { name: name ?? path, path, mark };
}

function columnOf(desc: DescMessage, spec: string): Column<Message> {
  const { name, path, mark } = partsOf(spec);
  const text = (row: Message): string => textAt(row, desc, path.split("."));
  return { name, text, tone: (row) => toneOf(name, text(row), row), ...(mark === "~" && { shrinks: true as const }) };
}

function textAt(message: Message | undefined, desc: DescMessage, [name, ...rest]: readonly string[]): string {
  const field = desc.fields.find((each) => each.name === name);
  if (field === undefined || message === undefined) return "";
  if (isMessage(message, AuditEventSchema) && name === "changes") return changed(message);
  const value: unknown = Reflect.get(message, field.localName);
  if (rest.length > 0 && field.message !== undefined)
    return textAt(isMessage(value) ? value : undefined, field.message, rest);
  return value === 0 && EMPTY_AT_ZERO.has(`${desc.name}.${name}`) ? "" : textOf(field, value);
}

/** A value as a cell has it. Lists of messages are only in the JSON. */
function textOf(field: DescField, value: unknown): string {
  if (value === undefined) return "";
  if (field.fieldKind === "list") return Array.isArray(value) && field.listKind === "scalar" ? value.join(",") : "";
  if (field.enum !== undefined) {
    const known = field.enum.values.find(({ number }) => number === value);
    // A value that is younger than this program is shown by its number.
    return known === undefined ? String(value) : wordOf(known);
  }
  if (isMessage(value)) return messageText(field, value);
  if (typeof value === "boolean") return yesOrNo(value);
  if (typeof value !== "object" || value === null) return String(value);
  if (field.fieldKind !== "map") return JSON.stringify(value);
  return Object.entries(value)
    .map(([key, each]) => `${key}=${each}`)
    .join(",");
}

function messageText({ message: desc }: DescField, value: Message): string {
  if (isMessage(value, TimestampSchema)) return instant(value);
  if (isMessage(value, RateLimitSchema)) return limits(value);
  if (isMessage(value, ActorSchema) || isMessage(value, InvitationMakerSchema)) return actorName(value);
  if (isMessage(value, ListValueSchema)) return JSON.stringify(toJson(ListValueSchema, value));
  const members = desc?.fields.map(({ name }) => [name, textAt(value, desc, [name])]) ?? [];
  return members
    .filter(([, text]) => text !== "" && text !== "0")
    .map((member) => member.join("="))
    .join(",");
}

function toneOf(name: string, text: string, row: Message): Tone | undefined {
  if (isMessage(row, AuditEventSchema)) return name === "action" && row.refusal !== undefined ? "bad" : undefined;
  const tones = TONES[name];
  return typeof tones === "object" ? tones[text] : tones;
}

/** Columns made from several members. */
const OTHERS: Readonly<Record<string, readonly Column<Message>[]>> = {
  RequestExplanation: [
    { name: "passed", text: (row) => namesOf(row, true), tone: () => "good" },
    { name: "failed", text: (row) => namesOf(row, false), tone: () => "bad" },
    { name: "message", text: (row) => stepsOf(row).find(({ passed }) => !passed)?.detail ?? "" },
  ],
};

function stepsOf(row: Message) {
  return isMessage(row, RequestExplanationSchema) ? row.steps : [];
}

function namesOf(row: Message, hasPassed: boolean): string {
  return stepsOf(row)
    .filter(({ passed }) => passed === hasPassed)
    .map(({ name }) => name)
    .join(",");
}
