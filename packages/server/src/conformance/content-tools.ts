import { seconds, type Clock } from "@steading/kernel";
import type { NativeTool } from "../native/native-tool.ts";
import { asking, plain, strings, text } from "./fixture-tool.ts";
import { onePixelPng, silentWav } from "./samples.ts";

/** Every kind of content block, an error, progress and logging. */
export function contentTools(clock: Clock): NativeTool[] {
  const image = { type: "image", data: onePixelPng(), mimeType: "image/png" } as const;
  const pause = () => clock.sleep(seconds(0.05));
  return [
    plain("test_simple_text", () => text("This is a simple text response for testing.")),
    plain("test_image_content", () => ({ content: [image] })),
    plain("test_audio_content", () => ({ content: [{ type: "audio", data: silentWav(), mimeType: "audio/wav" }] })),
    plain("test_embedded_resource", () => ({
      content: [embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")],
    })),
    plain("test_multiple_content_types", () => ({
      content: [
        { type: "text", text: "Multiple content types test:" },
        image,
        embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
      ],
    })),
    plain("test_error_handling", () => ({
      ...text("This tool intentionally returns an error for testing"),
      isError: true,
    })),
    plain("test_streaming_elicitation", () => text("Nothing to ask.")),
    plain("json_schema_2020_12_tool", (input) => text(JSON.stringify(input)), {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      $defs: {
        address: {
          $anchor: "addressDef",
          type: "object",
          properties: { street: { type: "string" }, city: { type: "string" } },
        },
      },
      properties: {
        name: { type: "string" },
        address: { $ref: "#/$defs/address" },
        contactMethod: { type: "string", enum: ["phone", "email"] },
        phone: { type: "string" },
        email: { type: "string" },
      },
      allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
      if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
      // oxlint-disable-next-line unicorn/no-thenable -- the JSON Schema keyword of this name
      then: { required: ["phone"] },
      else: { required: ["email"] },
      additionalProperties: false,
    }),
    asking(
      "test_x_mcp_header",
      (input) => text(`region=${typeof input["region"] === "string" ? input["region"] : ""}`),
      {
        type: "object",
        properties: { region: { type: "string", "x-mcp-header": "Region" }, level: { type: "integer" } },
      },
    ),
    asking("test_tool_with_progress", async (_, { mcp }) => {
      const progressToken = mcp.mcpReq._meta?.progressToken;
      for (const progress of [0, 50, 100]) {
        if (progressToken !== undefined) {
          await mcp.mcpReq.notify({
            method: "notifications/progress",
            params: { progressToken, progress, total: 100 },
          });
        }
        await pause();
      }
      return text(String(progressToken ?? 0));
    }),
    asking("test_tool_with_logging", async (_, { mcp }) => {
      for (const line of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
        await mcp.mcpReq.log("info", line);
        await pause();
      }
      return text("Logged.");
    }),
    asking("test_logging_tool", async (_, { mcp }) => {
      await mcp.mcpReq.log("info", "A line for the client.");
      return text("Logged.");
    }),
    changingTool(),
    asking("test_trigger_prompt_change", (_, { changes }) => {
      changes.prompts();
      return text("Prompts announced.");
    }),
    asking("test_reconnection", async (_, { mcp }) => {
      await pause();
      mcp.http?.closeSSE?.();
      await clock.sleep(seconds(0.1));
      return text("Reconnection test completed successfully");
    }),
    plain("greet", (input) => text(`Hello, ${String(input["name"])}!`), strings("name")),
  ];
}

function embedded(uri: string, mimeType: string, content: string) {
  return { type: "resource" as const, resource: { uri, mimeType, text: content } };
}

/** Its own description counts its calls, so that each of them changes the list for real. */
function changingTool(): NativeTool {
  let calls = 0;
  const tool = asking("test_trigger_tool_change", (_, { definitionsChanged }) => {
    calls++;
    definitionsChanged();
    return text("Tools announced.");
  });
  return {
    ...tool,
    get definition() {
      return { ...tool.definition, description: `${tool.definition.description} Called ${calls} times.` };
    },
  } as NativeTool;
}
