/** What a person needs to connect an MCP client. */
export interface Connection {
  /** The address with the short tool list. */
  readonly essential: string;
  /** Left out when the reader has it already; the text then names where. */
  readonly token?: string;
  readonly data: string;
  /** The program and its first arguments that run this very command, wherever it was installed. */
  readonly command: readonly [string, ...string[]];
}

/** Ready to paste: the address that keeps its tool list short, whatever is connected to the hub. */
export function howToConnect({ essential, token, data, command }: Connection): string {
  const credential = token ?? "<your STEADING_BOOTSTRAP_TOKEN>";
  const [program, ...first] = command;
  const http = {
    mcpServers: { steading: { type: "http", url: essential, headers: { Authorization: `Bearer ${credential}` } } },
  };
  const stdio = { mcpServers: { steading: { command: program, args: [...first, "stdio", "--data", data] } } };
  return [
    "Connect an MCP client over HTTP by pasting this into its configuration:",
    "",
    indent(JSON.stringify(http, null, 2)),
    "",
    "or with Claude Code:",
    "",
    `  claude mcp add --transport http steading ${essential} --header "Authorization: Bearer ${credential}"`,
    "",
    "or, for a client that starts its servers itself (no token needed):",
    "",
    indent(JSON.stringify(stdio, null, 2)),
    "",
    token === undefined
      ? "The token is the one you gave; only its hash is kept."
      : "This token is shown once; only its hash is kept. Keep it like a password.",
    "",
  ].join("\n");
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, "  ");
}
