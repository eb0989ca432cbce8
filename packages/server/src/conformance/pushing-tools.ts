import type { ElicitRequestFormParams } from "@modelcontextprotocol/server";
import type { NativeTool } from "../native/native-tool.ts";
import { asking, strings, text } from "./fixture-tool.ts";

type Form = ElicitRequestFormParams["requestedSchema"];

/** Questions in the 2025 way: the server sends a request of its own while the call runs. Only 2025 clients can answer. */
export function pushingTools(): NativeTool[] {
  return [
    asking(
      "test_sampling",
      async (input, { mcp }) => {
        const messages = [{ role: "user" as const, content: { type: "text" as const, text: String(input["prompt"]) } }];
        const { content } = await mcp.mcpReq.requestSampling({ messages, maxTokens: 100 });
        const said = Array.isArray(content) ? content[0] : content;
        return text(`LLM response: ${said?.type === "text" ? said.text : ""}`);
      },
      strings("prompt"),
    ),
    asking(
      "test_elicitation",
      async (input, { mcp }) => {
        const requestedSchema: Form = {
          type: "object",
          properties: { username: { type: "string" }, email: { type: "string" } },
          required: ["username", "email"],
        };
        const { action, content } = await mcp.mcpReq.elicitInput({
          message: String(input["message"]),
          requestedSchema,
        });
        return text(`User response: action=${action}, content=${JSON.stringify(content ?? {})}`);
      },
      strings("message"),
    ),
    form("test_elicitation_sep1034_defaults", {
      name: { type: "string", default: "John Doe" },
      age: { type: "integer", default: 30 },
      score: { type: "number", default: 95.5 },
      status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
      verified: { type: "boolean", default: true },
    }),
    form("test_elicitation_sep1330_enums", {
      untitledSingle: { type: "string", enum: ["option1", "option2", "option3"] },
      titledSingle: { type: "string", oneOf: titled("Option") },
      legacyEnum: {
        type: "string",
        enum: ["opt1", "opt2", "opt3"],
        enumNames: ["Option One", "Option Two", "Option Three"],
      },
      untitledMulti: { type: "array", items: { type: "string", enum: ["option1", "option2", "option3"] } },
      titledMulti: { type: "array", items: { anyOf: titled("Choice") } },
    }),
  ];
}

function form(name: string, properties: Form["properties"]): NativeTool {
  return asking(name, async (_, { mcp }) => {
    const { action, content } = await mcp.mcpReq.elicitInput({
      message: "Please fill in",
      requestedSchema: { type: "object", properties },
    });
    return text(`Elicitation completed: action=${action}, content=${JSON.stringify(content ?? {})}`);
  });
}

function titled(word: string): { const: string; title: string }[] {
  return [1, 2, 3].map((n) => ({ const: `value${n}`, title: `${word} ${n}` }));
}
