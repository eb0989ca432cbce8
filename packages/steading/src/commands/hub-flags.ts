import { InvalidArgumentError, Option, type Command } from "@commander-js/extra-typings";
import { FEATURES } from "./features.ts";

/** Flags of `start` and `demo`, as they were given. */
export interface HubFlags {
  readonly host?: string;
  readonly port?: number;
  readonly farmPort?: number;
  readonly devicePort?: number;
  readonly mqttPort?: number;
  readonly data?: string;
  readonly config?: string;
  readonly readyFile?: string;
  readonly json?: boolean;
}

export const FEATURE_HEADING = "Orchestrator features:";

/** The same flags for every command that runs a hub. */
export function withHubFlags(command: Command): Command {
  command
    .option("--host <address>", "address to listen on (default: 127.0.0.1)")
    .option("--port <number>", "port of the main listener, 0 takes a free one (default: 3000)", asPort)
    .option("--farm-port <number>", "port of the farm's own MCP server, 0 takes a free one (default: 3001)", asPort)
    .option("--device-port <number>", "port for devices; nothing listens there yet", asPort)
    .option("--mqtt-port <number>", "MQTT port; nothing listens there yet", asPort)
    .option("--data <dir>", "directory that holds the hub's state")
    .option("--config <file>", "settings file (default: steading.config.yaml here or in the data directory)")
    .option("--ready-file <file>", "write the addresses there, as JSON, once everything listens")
    .option("--json", "print the addresses as one line of JSON instead of text");
  command.addOption(new Option("--enable-all", "all of them").helpGroup(FEATURE_HEADING));
  for (const feature of FEATURES) {
    command.addOption(new Option(`--enable-${feature}`, feature).helpGroup(FEATURE_HEADING));
    command.addOption(new Option(`--disable-${feature}`, feature).helpGroup(FEATURE_HEADING));
  }
  return command;
}

/** Fifty flags with nothing behind them yet would bury the nine that matter; they are known, but named in one line. */
export function featureHelp(): string[] {
  return [
    FEATURE_HEADING,
    "  --enable-<feature>, --disable-<feature>, --enable-all",
    "  Accepted, with nothing behind them yet. Features:",
    ...inColumns(FEATURES),
    "",
  ];
}

function inColumns(words: readonly string[]): string[] {
  const lines: string[] = [];
  for (let i = 0; i < words.length; i += 5) lines.push(`    ${words.slice(i, i + 5).join(", ")}`);
  return lines;
}

export function asPort(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) {
    throw new InvalidArgumentError("A port is a whole number from 0 to 65535; 0 takes a free one.");
  }
  return port;
}
