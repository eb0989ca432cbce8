import { defineTool, seconds, type Tool, type Toolset } from "@steading/kernel";
import { answerBrowse } from "./browse.ts";
import type { BrowseNode } from "./browse-node.ts";
import {
  BrowseInput,
  BrowseOutput,
  HistoryInput,
  HistoryOutput,
  SearchInput,
  SearchOutput,
  SetPropertiesInput,
  SetPropertiesOutput,
  WatchInput,
  WatchOutput,
} from "./extras-schemas.ts";
import { guarded } from "./guard-handler.ts";
import type { HistoryPort } from "./history-port.ts";
import { answerHistory } from "./property-history.ts";
import { answerSearch } from "./search.ts";
import { answerSetProperties } from "./set-properties.ts";
import { browseText, searchText } from "./text-format.ts";
import { toolError } from "./tool-errors.ts";
import type { Worlds } from "./tool-world.ts";
import { answerWatch } from "./watch.ts";

/** Waiting calls at one time; each holds its connection and a few listeners. */
const MAX_WATCHES = 200;

/** What grew around the six tools: optional, over the same handlers. */
export function createGraphExtras(worlds: Worlds): Toolset {
  const { history } = worlds.config;
  const tools = [browseTool(worlds), searchTool(worlds), setPropertiesTool(worlds), watchTool(worlds)];
  return { name: "graph-extras", tools: history === undefined ? tools : [...tools, historyTool(worlds, history)] };
}

const logOf = (worlds: Worlds) => () => worlds.graph().log;

/** Answers whose text block was asked for as JSON. The structured answer is the same either way. */
function createFormatMemory() {
  const asJson = new WeakSet<object>();
  return {
    remember<T extends object>(answer: T, format: "text" | "json" | undefined): T {
      if (format === "json") asJson.add(answer);
      return answer;
    },
    text: <T extends object>(answer: T, render: (answer: T) => string): string =>
      asJson.has(answer) ? JSON.stringify(answer) : render(answer),
  };
}

function browseTool(worlds: Worlds): Tool {
  const format = createFormatMemory();
  return defineTool({
    name: "browse",
    title: "Browse compactly",
    summary:
      "The tree as compact text, containers by name, deeper collections collapsed to a count. To find something, use search.",
    input: BrowseInput,
    output: BrowseOutput,
    intent: "READ_ONLY",
    minimumRole: "viewer",
    handler: guarded(logOf(worlds), "browse", (input, { caller }) =>
      format.remember(answerBrowse(worlds.open(caller), input), input.format),
    ),
    // browseNode made the result, so it is a node.
    text: (answer) => format.text(answer, (one) => browseText({ ...one, result: one.result as unknown as BrowseNode })),
  });
}

function searchTool(worlds: Worlds): Tool {
  const format = createFormatMemory();
  return defineTool({
    name: "search",
    title: "Search subjects",
    summary:
      "Find subjects in the whole graph by text (paths, titles, descriptions) and by type. List types first, then search by type.",
    input: SearchInput,
    output: SearchOutput,
    intent: "READ_ONLY",
    minimumRole: "viewer",
    handler: guarded(logOf(worlds), "search", (input, { caller }) =>
      format.remember(answerSearch(worlds.open(caller), input), input.format),
    ),
    text: (answer) =>
      format.text(answer, (one) => searchText({ ...one, results: one.results as Record<string, BrowseNode> })),
  });
}

function setPropertiesTool(worlds: Worlds): Tool {
  return defineTool({
    name: "set_properties",
    title: "Write several properties",
    summary: "Write several properties as one transaction: all or nothing unless onFailure says bestEffort.",
    input: SetPropertiesInput,
    output: SetPropertiesOutput,
    intent: "MUTATE",
    minimumRole: "viewer",
    acceptsApproval: true,
    annotations: { destructiveHint: false, idempotentHint: true },
    handler: guarded(logOf(worlds), "set_properties", (input, context) =>
      answerSetProperties(worlds.open(context.caller), input, context),
    ),
  });
}

function watchTool(worlds: Worlds): Tool {
  let watching = 0;
  return defineTool({
    name: "watch",
    title: "Wait for a change",
    summary:
      "Wait until a condition on one or more properties holds (changes, equals, above, below …) or the time is up, and tell the values.",
    input: WatchInput,
    output: WatchOutput,
    intent: "READ_ONLY",
    minimumRole: "viewer",
    deadline: seconds(70),
    handler: guarded(logOf(worlds), "watch", async (input, context) => {
      if (watching >= MAX_WATCHES)
        throw toolError("CONFLICT", `${MAX_WATCHES} calls are waiting already; try again when one of them has ended.`);
      watching++;
      try {
        return await answerWatch(worlds.open(context.caller), input, context);
      } finally {
        watching--;
      }
    }),
  });
}

function historyTool(worlds: Worlds, history: HistoryPort): Tool {
  return defineTool({
    name: "get_property_history",
    title: "Read a property's past",
    summary: "Past values of a property between two times, as they were or aggregated into buckets.",
    input: HistoryInput,
    output: HistoryOutput,
    intent: "READ_ONLY",
    minimumRole: "viewer",
    handler: guarded(logOf(worlds), "get_property_history", (input, context) =>
      answerHistory(worlds.open(context.caller), history, input, context),
    ),
  });
}
