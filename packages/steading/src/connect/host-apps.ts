import { join } from "node:path";
import type { Environment } from "../settings/environment.ts";

/** Programs whose configuration can be written. */
export const HOST_APPS = ["claude-desktop", "claude-code", "cursor", "vscode"] as const;
export type HostApp = (typeof HOST_APPS)[number];

interface AppFacts {
  readonly title: string;
  /** The member of its file that holds servers. */
  readonly member: "mcpServers" | "servers";
  /** Does an entry say which transport it is? */
  readonly typed: boolean;
  file(place: Place): string;
}

interface Place {
  readonly home: string;
  /** Where programs keep their settings on this system. */
  readonly settings: string;
}

export const APP_FACTS: Readonly<Record<HostApp, AppFacts>> = {
  "claude-desktop": {
    title: "Claude Desktop",
    member: "mcpServers",
    typed: false,
    file: ({ settings }) => join(settings, "Claude", "claude_desktop_config.json"),
  },
  "claude-code": {
    title: "Claude Code",
    member: "mcpServers",
    typed: true,
    file: ({ home }) => join(home, ".claude.json"),
  },
  cursor: {
    title: "Cursor",
    member: "mcpServers",
    typed: false,
    file: ({ home }) => join(home, ".cursor", "mcp.json"),
  },
  vscode: {
    title: "VS Code",
    member: "servers",
    typed: true,
    file: ({ settings }) => join(settings, "Code", "User", "mcp.json"),
  },
};

/** Where the program keeps its configuration for this user. */
export function configFile(app: HostApp, environment: Environment, platform: NodeJS.Platform): string {
  return APP_FACTS[app].file({ home: environment.home, settings: settingsFolder(environment, platform) });
}

function settingsFolder({ home, xdgConfigHome, appData }: Environment, platform: NodeJS.Platform): string {
  switch (platform) {
    case "darwin":
      return join(home, "Library", "Application Support");
    case "win32":
      return appData ?? join(home, "AppData", "Roaming");
    default:
      return xdgConfigHome ?? join(home, ".config");
  }
}
