import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { LineCounter, parseDocument, type Document } from "yaml";
import type { z } from "zod";
import { SteadingError } from "@steading/kernel";
import { IssuerSettings, LimitSettings } from "@steading/server";
import { FarmSettings } from "./farm-settings.ts";
import { ListenerSettings, TlsSettings } from "./listener-settings.ts";
import { LampSettings, Settings } from "./settings-schema.ts";
import { toProblems, type SettingsProblem } from "./settings-problem.ts";

export const SETTINGS_FILE = "steading.config.yaml";

/** Nobody writes a megabyte by hand; a larger file is something else. */
const MAX_BYTES = 1_048_576;

export function defaultSettings(): Settings {
  return Settings.parse({});
}

/** Reads and checks a settings file. Throws SETTINGS_UNREADABLE or SETTINGS_INVALID with every problem it found. */
export function readSettings(file: string): Settings {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (cause) {
    throw new SteadingError("SETTINGS_UNREADABLE", `The settings file ${file} cannot be read.`, {
      hint: "Check the path given with --config, or leave it out to run with the defaults.",
      cause,
    });
  }
  return withFilesBeside(dirname(file), parseSettings(text, file));
}

/** Files that the settings name lie beside them, wherever the command runs. */
function withFilesBeside(directory: string, settings: Settings): Settings {
  const beside = <T extends Pick<ListenerSettings, "tls">>(listener: T): T => {
    if (listener.tls === undefined) return listener;
    const { cert, key } = listener.tls;
    return { ...listener, tls: { cert: resolve(directory, cert), key: resolve(directory, key) } };
  };
  const { farm } = settings;
  return { ...settings, listen: settings.listen.map(beside), ...(farm && { farm: beside(farm) }) };
}

export function parseSettings(text: string, file: string = SETTINGS_FILE): Settings {
  if (text.length > MAX_BYTES)
    throw invalid(file, [{ line: 1, message: "the file is larger than 1 MiB; keep settings only" }]);
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  if (document.errors.length > 0) {
    throw invalid(
      file,
      document.errors.map((error) => ({
        line: lines.linePos(error.pos[0]).line,
        message: `not YAML: ${error.message}; check indentation, quotes and brackets there`,
      })),
    );
  }
  const checked = Settings.safeParse(plainValue(document, file));
  if (checked.success) return checked.data;
  const problems = checked.error.issues.flatMap((issue) => toProblems(issue, { document, lines, knownKeys }));
  throw invalid(
    file,
    problems.toSorted((a, b) => a.line - b.line),
  );
}

function plainValue(document: Document, file: string): unknown {
  try {
    // An empty file means: everything as it comes.
    return document.toJS({ maxAliasCount: 100 }) ?? {};
  } catch {
    throw invalid(file, [{ line: 1, message: "too many aliases (`*name`); write the values out" }]);
  }
}

/** Objects of the schema by their place in it; list positions do not matter. */
const OBJECTS: Readonly<Record<string, z.ZodObject>> = {
  "": Settings,
  listen: ListenerSettings,
  "listen.tls": TlsSettings,
  issuers: IssuerSettings,
  limits: LimitSettings,
  farm: FarmSettings,
  "farm.tls": TlsSettings,
  lamps: LampSettings,
  log: Settings.shape.log.unwrap(),
};

function knownKeys(path: readonly PropertyKey[]): readonly string[] {
  return Object.keys(OBJECTS[path.filter((step) => typeof step === "string").join(".")]?.shape ?? {});
}

function invalid(file: string, problems: readonly SettingsProblem[]): SteadingError {
  const list = problems.map(({ line, message }) => `${file}:${line}: ${message}`);
  return new SteadingError("SETTINGS_INVALID", list.join("\n"), {
    details: { problems: problems.map(({ line, message }) => ({ line, message })) },
  });
}
