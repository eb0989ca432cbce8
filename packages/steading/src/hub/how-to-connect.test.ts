import { expect, test } from "vitest";
import { howToConnect } from "./how-to-connect.ts";

const command = ["/usr/bin/node", "/opt/steading/bin/steading.js"] as const;
const essential = "http://127.0.0.1:3000/mcp/essential";

/** The JSON blocks of the text, as somebody would copy them. */
function pasted(text: string): unknown[] {
  return [...text.matchAll(/^ {2}\{$[\s\S]*?^ {2}\}$/gm)].map(([block]): unknown => JSON.parse(block));
}

// @proves steading.address.essential-in-snippets steading.first-start.prints-how-to-connect mcp.address.snippets-use-essential
test("the snippets can be pasted, point at the short list and carry the token", () => {
  const text = howToConnect({ essential, token: "stead_abc", data: "/var/steading", command });
  expect(pasted(text)).toEqual([
    { mcpServers: { steading: { type: "http", url: essential, headers: { Authorization: "Bearer stead_abc" } } } },
    {
      mcpServers: {
        steading: {
          command: "/usr/bin/node",
          args: ["/opt/steading/bin/steading.js", "stdio", "--data", "/var/steading"],
        },
      },
    },
  ]);
  expect(text).toContain(
    `claude mcp add --transport http steading ${essential} --header "Authorization: Bearer stead_abc"`,
  );
  expect(text).toContain("shown once");
});

test("a token that the reader gave is not repeated", () => {
  const text = howToConnect({ essential, data: "/var/steading", command });
  expect(text).toContain("Bearer <your STEADING_BOOTSTRAP_TOKEN>");
});
