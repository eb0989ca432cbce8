import type { Json } from "@steading/kernel";
import type { BrowsedProperty, BrowsedValue, BrowseNode, CollapsedProperty } from "./browse-node.ts";

const MAX_TEXT_CHARS = 100;

const LEGEND =
  "# path [full.Type] $key=value; below it name: value | type, @attribute: value, name/ (count) for what is not expanded";
const EXACT = '# Values may be shortened here: get_property gives one in full, format "json" the exact structure.';

/** `[2 subjects]`: the last line of every text answer. */
function countLine(count: number, truncated: boolean): string {
  return `[${count} ${count === 1 ? "subject" : "subjects"}${truncated ? ", truncated" : ""}]`;
}

export function browseText(answer: { result: BrowseNode; subjectCount: number; truncated: boolean }): string {
  const lines = [LEGEND, EXACT, ""];
  writeNode(lines, answer.result, 0);
  lines.push(countLine(answer.subjectCount, answer.truncated));
  return lines.join("\n");
}

export function searchText(answer: {
  results: Readonly<Record<string, BrowseNode>>;
  subjectCount: number;
  truncated: boolean;
}): string {
  const nodes = Object.values(answer.results);
  if (nodes.length === 0) return `No subject matches.${answer.truncated ? " (truncated: the limit was 0)" : ""}`;
  const lines = [LEGEND, EXACT, ""];
  nodes.forEach((node, position) => {
    if (position > 0) lines.push("");
    writeNode(lines, node, 0);
  });
  lines.push(countLine(answer.subjectCount, answer.truncated));
  return lines.join("\n");
}

const indent = (level: number): string => "  ".repeat(level);

// Nodes nest no deeper than the depth limit of the walk that made them.
function writeNode(lines: string[], node: BrowseNode, level: number): void {
  const { $path, $type, $fullType, methods, interfaces, properties, ...rest } = node;
  const type = typeof $fullType === "string" ? $fullType : $type;
  const pairs = Object.entries(rest).map(([key, value]) => `${key}=${token(value)}`);
  lines.push(`${indent(level)}${[oneLine($path), `[${oneLine(type)}]`, ...pairs].join(" ")}`);
  for (const [name, property] of Object.entries(properties ?? {})) writeProperty(lines, name, property, level + 1);
  if (methods !== undefined && methods.length > 0)
    lines.push(`${indent(level + 1)}methods: ${methods.map((name) => `${oneLine(name)}()`).join(" ")}`);
  if (interfaces !== undefined && interfaces.length > 0)
    lines.push(`${indent(level + 1)}interfaces: ${interfaces.map(oneLine).join(", ")}`);
}

function writeProperty(lines: string[], name: string, property: BrowsedProperty, level: number): void {
  if ("isCollapsed" in property) return writeCollapsed(lines, name, property as CollapsedProperty, level);
  if (property.kind === "value") return writeValue(lines, name, property as BrowsedValue, level);
  const children = property.kind === "object" ? [property.child] : Object.values<BrowseNode>(property.children);
  for (const child of children) writeNode(lines, child, level);
}

function writeCollapsed(lines: string[], name: string, property: CollapsedProperty, level: number): void {
  const what =
    property.itemType === undefined
      ? `${property.count} ${property.count === 1 ? "child" : "children"}`
      : `${property.count}x ${oneLine(property.itemType)}`;
  lines.push(`${indent(level)}${oneLine(name)}/ (${what})`);
}

function writeValue(lines: string[], name: string, property: BrowsedValue, level: number): void {
  const notes = [
    property.type,
    ...(property.isWritable ? ["writable"] : []),
    ...(property.unit === undefined ? [] : [`unit ${oneLine(property.unit)}`]),
    ...(property.quality === undefined ? [] : [`quality ${oneLine(property.quality)}`]),
  ];
  lines.push(`${indent(level)}${oneLine(name)}: ${valueText(property.value)} | ${notes.join(", ")}`);
  for (const [attribute, value] of Object.entries(property.attributes ?? {}))
    lines.push(`${indent(level + 1)}@${oneLine(attribute)}: ${valueText(value)}`);
}

/** A value on one line: `null`, `""`, lower-case booleans, objects as JSON, long text cut. */
export function valueText(value: Json): string {
  if (value === "") return '""';
  const text = oneLine(typeof value === "string" ? value : JSON.stringify(value));
  return text.length > MAX_TEXT_CHARS ? `${text.slice(0, MAX_TEXT_CHARS)}...` : text;
}

// Several pairs share a line, so a text with a space, a quote or a sign of our own needs quotes to stay one value.
function token(value: Json): string {
  const text = valueText(value);
  return typeof value === "string" && /[\s"=$[\]]/.test(value) ? `"${text.replaceAll('"', '\\"')}"` : text;
}

/** Escapes everything that could end a line: a value must not be able to imitate a line of the format. */
function oneLine(text: string): string {
  // oxlint-disable-next-line no-control-regex -- taking control characters out is the point
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, (char) => {
    if (char === "\n") return "\\n";
    if (char === "\r") return "\\r";
    if (char === "\t") return "\\t";
    return `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
