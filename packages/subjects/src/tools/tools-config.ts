import type { Caller, Json, Log } from "@steading/kernel";
import type { GraphView } from "../graph/view.ts";
import type { MetadataProvider, PathProvider, TypeProvider } from "../info/providers.ts";
import type { MethodInfo, PropertyInfo, SubjectInfo } from "../info/subject-info.ts";
import { explicit } from "../paths/path-providers.ts";
import type { HistoryPort } from "./history-port.ts";
import { DEFAULT_LIMITS, type SubjectToolLimits } from "./tool-limits.ts";

export interface AuthorizeRequest {
  readonly caller: Caller;
  readonly action: "read" | "write" | "invoke";
  readonly target: SubjectInfo | PropertyInfo | MethodInfo;
}

/** One write or operation, for a journal that is not the door's: values that never leave the hub have no other record. */
export interface SubjectActionRecord {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly caller: Caller;
  readonly action: "write" | "invoke";
  /** Of the property, or of the subject whose method ran. */
  readonly path: string;
  readonly method?: string;
  readonly old?: Json;
  readonly new?: Json;
  /** The answer's status, or the code of the error. */
  readonly outcome: string;
  /** The door's action, where the door has this on record itself. */
  readonly effect?: string;
}

/** What an embedder can change about the tools. `configure` gets this, filled with the defaults. */
export interface SubjectToolsConfig {
  pathProvider: PathProvider;
  addMetadataProvider(provider: MetadataProvider): this;
  addTypeProvider(provider: TypeProvider): this;
  /** `read` refuses every effect but those towards safe. */
  access: "read" | "write";
  limits: SubjectToolLimits;
  /** May only narrow what roles and token scope allow. */
  authorize?: (request: AuthorizeRequest) => boolean;
  /** Methods that require confirmation: run with an approval, or not at all. */
  dangerousMethods: "approve" | "forbid";
  /** Answers wait for the promise it may return; when that fails, so does the call. */
  journal?: (record: SubjectActionRecord) => unknown;
  /** Where `snapshot_id` is looked up. Undefined: unknown, expired, or not this caller's. */
  snapshots?: { open(id: string, caller: Caller): GraphView | undefined };
  history?: HistoryPort;
  /** Default: the graph's own. */
  log?: Log;
  /** Subtrees that `search` leaves out unless it is asked below them. */
  searchExcludes: string[];
}

export interface CollectedConfig {
  readonly config: SubjectToolsConfig;
  readonly metadataProviders: readonly MetadataProvider[];
  readonly typeProviders: readonly TypeProvider[];
}

export type Configure = (config: SubjectToolsConfig) => void;

/** Runs the given steps in order over the defaults: what comes later can override all that came before. */
export function collectConfig(...steps: readonly (Configure | undefined)[]): CollectedConfig {
  const metadataProviders: MetadataProvider[] = [];
  const typeProviders: TypeProvider[] = [];
  const config: SubjectToolsConfig = {
    pathProvider: explicit("mcp"),
    access: "write",
    limits: { ...DEFAULT_LIMITS },
    dangerousMethods: "approve",
    searchExcludes: [],
    addMetadataProvider(provider) {
      metadataProviders.push(provider);
      return this;
    },
    addTypeProvider(provider) {
      typeProviders.push(provider);
      return this;
    },
  };
  for (const step of steps) step?.(config);
  checkLimits(config.limits);
  return { config, metadataProviders, typeProviders };
}

function checkLimits(limits: SubjectToolLimits): void {
  for (const [name, value] of Object.entries(limits) as [string, unknown][])
    if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0)
      throw new TypeError(`limits.${name} must be a whole number of at least 0, not ${String(value)}.`);
}
