import type { CallToolResult } from "@modelcontextprotocol/server";
import { shellError } from "../shell-errors.ts";
import type { KeptResults } from "./kept-results.ts";

export interface FitResult {
  (result: CallToolResult, principal: string, hasOutputSchema: boolean): CallToolResult;
}

type Block = CallToolResult["content"][number];

/** Keeps answers to a size that clients can stomach; the whole stays readable as a resource for a while. */
export function createFitResult({
  kept,
  textBytes,
  binaryBytes,
}: {
  readonly kept: KeptResults;
  readonly textBytes: number;
  readonly binaryBytes: number;
}): FitResult {
  function isTooLarge(block: Block): boolean {
    if (block.type === "text") return block.text.length * 3 > textBytes && Buffer.byteLength(block.text) > textBytes;
    return (block.type === "image" || block.type === "audio") && block.data.length * 0.75 > binaryBytes;
  }

  function shrink(block: Block, principal: string): Block[] {
    if (block.type === "text") {
      const uri = kept.keep(principal, { mimeType: "text/plain", text: block.text });
      const start = new TextDecoder().decode(Buffer.from(block.text).subarray(0, textBytes - 3), { stream: true });
      return [{ type: "text", text: `${start}…` }, ...linkTo(uri, "text/plain")];
    }
    if (block.type === "image" || block.type === "audio") {
      const uri = kept.keep(principal, { mimeType: block.mimeType, blob: block.data });
      return [{ type: "text", text: "The content is too large for this answer." }, ...linkTo(uri, block.mimeType)];
    }
    return [block];
  }

  return (result, principal, hasOutputSchema) => {
    if (!result.content.some(isTooLarge)) return result;
    const { structuredContent: _, ...rest } = result;
    const content = result.content.flatMap((block) => (isTooLarge(block) ? shrink(block, principal) : [block]));
    if (result.isError === true || !hasOutputSchema) return { ...rest, content };
    // A declared output without structured content is a fault to clients, and a cut one would be a lie.
    const links = content.filter((block) => block.type === "resource_link");
    const error = shellError("RESULT_TOO_LARGE", "The result is too large for one answer.", {
      details: { resources: links.map(({ uri }) => uri) },
    });
    return { content: [{ type: "text", text: JSON.stringify(error.toJson()) }], isError: true };
  };
}

function linkTo(uri: string | undefined, mimeType: string): Block[] {
  return uri === undefined ? [] : [{ type: "resource_link", uri, name: "whole result", mimeType }];
}
