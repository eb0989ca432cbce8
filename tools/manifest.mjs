// Holds what the tests say they prove against the list of rules there are to prove.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { parse } from "yaml";
import { isProof } from "./arrow-rules.mjs";
import { sourceFiles } from "./source-files.mjs";

/** @typedef {{ id: string, section: string, rule: string, kind?: "figure", stage?: string }} Rule */
/** @typedef {{ id: string, file: string, line: number }} Citation */
/** @typedef {{ part: string, rules: Rule[], proved: Set<string> }} Part */

/**
 * @param {{ root: string }} where
 * @returns {{ parts: Part[], problems: string[] }}
 */
export function checkManifest({ root }) {
  /** @type {string[]} */
  const problems = [];
  const parts = readParts(root, problems);
  /** @type {Map<string, { rule: Rule, part: Part }>} */
  const known = new Map();
  for (const part of parts) {
    for (const rule of part.rules) {
      if (known.has(rule.id)) problems.push(`${part.part}.yaml: ${rule.id} is listed twice; an id names one rule.`);
      else known.set(rule.id, { rule, part });
    }
  }
  for (const { id, file, line } of citations(root, problems)) {
    const place = `${file}:${line}`;
    const cited = known.get(id);
    if (cited === undefined) {
      problems.push(`${place}: no manifest lists ${id}; correct the id, or list the rule first.`);
    } else if ((cited.rule.kind === "figure") !== isBench(file)) {
      problems.push(
        isBench(file)
          ? `${place}: ${id} is not a figure; a benchmark asserts nothing, so prove it in a test.`
          : `${place}: ${id} is a figure; measure it in bench/, tests assert no timings.`,
      );
    } else {
      cited.part.proved.add(id);
    }
  }
  return { parts, problems };
}

/**
 * @param {string} root
 * @param {string[]} problems
 * @returns {Part[]}
 */
function readParts(root, problems) {
  const folder = join(root, "test/manifest");
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".yaml")) : [];
  if (files.length === 0) problems.push("test/manifest/ holds no .yaml file; nothing can be proved against it.");
  return files.toSorted().flatMap((name) => {
    /** @type {unknown} */
    const content = parse(readFileSync(join(folder, name), "utf8"));
    const part = basename(name, ".yaml");
    if (!isRecord(content) || content["part"] !== part || !Array.isArray(content["rules"])) {
      problems.push(`${name}: expected \`part: ${part}\`, \`source\` and a list \`rules\`.`);
      return [];
    }
    /** @type {unknown[]} */
    const rules = content["rules"];
    return [
      {
        part,
        rules: rules.flatMap((rule, index) => readRule({ name, part, rule, index, problems })),
        proved: new Set(),
      },
    ];
  });
}

const KEYS = new Set(["id", "section", "rule", "kind", "stage"]);

/**
 * @param {{ name: string, part: string, rule: unknown, index: number, problems: string[] }} given
 * @returns {Rule[]}
 */
function readRule({ name, part, rule, index, problems }) {
  const where = `${name}: rule ${index + 1}`;
  const { id, section, rule: sentence, kind, stage } = isRecord(rule) ? rule : {};
  if (typeof id !== "string" || !/^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(id) || !id.startsWith(`${part}.`)) {
    problems.push(`${where}: expected an id of dotted lower-case words that starts with ${part}.`);
    return [];
  }
  if (typeof section !== "string" || typeof sentence !== "string" || sentence === "") {
    problems.push(`${where} (${id}): expected a section and a rule, both text.`);
    return [];
  }
  if (kind !== undefined && kind !== "figure") problems.push(`${where} (${id}): the only kind is \`figure\`.`);
  if (stage !== undefined && typeof stage !== "string") problems.push(`${where} (${id}): a stage is a word.`);
  const strange = Object.keys(/** @type {object} */ (rule)).filter((key) => !KEYS.has(key));
  if (strange.length > 0)
    problems.push(`${where} (${id}): unknown ${strange.join(", ")}; allowed are ${[...KEYS].join(", ")}.`);
  return [
    { id, section, rule: sentence, ...(kind === "figure" && { kind }), ...(typeof stage === "string" && { stage }) },
  ];
}

/**
 * @param {string} root
 * @param {string[]} problems
 * @returns {Citation[]}
 */
function citations(root, problems) {
  return sourceFiles({ root, folders: ["packages", "test", "bench", "tools"], endings: [".ts"] })
    .filter((file) => isProof(file) || isBench(file))
    .flatMap((file) => {
      const lines = readFileSync(join(root, file), "utf8").split("\n");
      return lines.flatMap((text, index) => {
        const ids = /^\s*\/\/\s*@proves\b(.*)$/.exec(text)?.[1]?.trim().split(/\s+/) ?? [];
        const place = `${file}:${index + 1}`;
        if (ids.includes("")) problems.push(`${place}: @proves names no id.`);
        for (const id of new Set(ids.filter((each, at) => ids.indexOf(each) !== at))) {
          problems.push(`${place}: ${id} is cited twice in one line.`);
        }
        return [...new Set(ids)].filter((id) => id !== "").map((id) => ({ id, file, line: index + 1 }));
      });
    });
}

/** @param {string} file */
function isBench(file) {
  return file.startsWith("bench/");
}

/**
 * @param {unknown} value
 * @returns {value is Record<string, unknown>}
 */
function isRecord(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * `part: proved/total`, followed by the same for each stage of a part that has stages.
 * @param {Part} part
 * @returns {string[]}
 */
export function totals({ part, rules, proved }) {
  const stages = [...new Set(rules.map(({ stage }) => stage))].filter((stage) => stage !== undefined);
  /** @param {Rule[]} some */
  const score = (some) => `${some.filter(({ id }) => proved.has(id)).length}/${some.length}`;
  return [
    `${part}: ${score(rules)}`,
    ...stages.map((stage) => `  ${stage}: ${score(rules.filter((rule) => rule.stage === stage))}`),
  ];
}

/**
 * @param {Part} part
 * @returns {string[]}
 */
export function unproved({ rules, proved }) {
  return rules.filter(({ id }) => !proved.has(id)).map(({ id }) => id);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const { parts, problems } = checkManifest({ root: join(import.meta.dirname, "..") });
  const brief = process.argv.includes("--totals");
  for (const part of parts) {
    if (!brief) for (const id of unproved(part)) console.log(`unproved ${id}`);
    for (const line of totals(part)) console.log(line);
  }
  if (brief) console.log("`node tools/manifest.mjs` names the ids that nobody proves");
  for (const problem of problems) console.log(problem);
  if (problems.length > 0) process.exitCode = 1;
}
