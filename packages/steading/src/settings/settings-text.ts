import { stringify } from "yaml";

export interface Chosen {
  readonly access: "read" | "write";
  readonly port: number;
  readonly farm: boolean;
  readonly lamps: readonly { readonly name: string; readonly host: string; readonly port: number }[];
}

/** A settings file that explains itself to whoever opens it next. */
export function settingsText({ access, port, lamps, farm }: Chosen): string {
  return `# Settings of a Steading hub. Every setting, with its meaning: docs/reference/settings.md

# read: nothing is switched on, whoever asks; off and stop always work. write: what a caller's role allows is done.
access: ${access}

# Who can reach the hub: this machine alone, until a listener with another address is added.
listen:
  - host: 127.0.0.1
    port: ${port}

${stringify({ lamps }).trimEnd()}
${farm ? FARM : ""}`;
}

const FARM = `
# Equipment on Modbus. Its MCP server is on port 3001; docs/guide/farm.md tells how to connect a backend.
farm: {}
`;
