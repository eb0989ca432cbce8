import { stringify } from "yaml";

export interface Chosen {
  readonly access: "read" | "write";
  readonly port: number;
  readonly lamps: readonly { readonly name: string; readonly host: string; readonly port: number }[];
}

/** A settings file that explains itself to whoever opens it next. */
export function settingsText({ access, port, lamps }: Chosen): string {
  return `# Settings of a Steading hub. Every setting, with its meaning: docs/reference/settings.md

# read: nothing is switched on, whoever asks; off and stop always work. write: what a caller's role allows is done.
access: ${access}

# Who can reach the hub: this machine alone, until a listener with another address is added.
listen:
  - host: 127.0.0.1
    port: ${port}

${stringify({ lamps }).trimEnd()}
`;
}
