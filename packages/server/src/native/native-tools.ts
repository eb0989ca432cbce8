import { effectiveRole, roleAtLeast, type Caller, type JsonObject, type Log } from "@steading/kernel";
import { ProtocolError } from "@modelcontextprotocol/server";
import type { SharedValidators, Validate } from "../schemas/shared-validators.ts";
import type { NativeContext, NativeResult, NativeTool } from "./native-tool.ts";

export interface NativeTools {
  /** Grows when a definition reads differently. */
  readonly generation: number;
  touch(): void;
  /** In name order, as far as the role sees them. */
  visibleTo(caller: Pick<Caller, "role" | "scope">): readonly NativeTool[];
  find(name: string, caller: Pick<Caller, "role" | "scope">): NativeTool | undefined;
  run(tool: NativeTool, given: unknown, context: () => NativeContext): Promise<NativeResult>;
}

export function createNativeTools({
  tools,
  validators,
  log,
}: {
  readonly tools: readonly NativeTool[];
  readonly validators: SharedValidators;
  readonly log: Log;
}): NativeTools {
  const sorted = tools.toSorted((a, b) => (a.definition.name < b.definition.name ? -1 : 1));
  const byName = new Map(sorted.map((tool) => [tool.definition.name, tool]));
  let generation = 0;
  const validatorOf = new WeakMap<NativeTool, Validate>();

  function visible(tool: NativeTool, caller: Pick<Caller, "role" | "scope">): boolean {
    // A token for some toolsets is for nothing that belongs to none.
    if (caller.scope?.toolsets !== undefined) return false;
    return tool.minimumRole === undefined || roleAtLeast(effectiveRole(caller as Caller), tool.minimumRole);
  }
  function validator(tool: NativeTool): Validate {
    const known = validatorOf.get(tool);
    if (known !== undefined) return known;
    const made = validators.validatorFor(tool.definition.inputSchema as JsonObject);
    validatorOf.set(tool, made);
    return made;
  }

  return {
    get generation() {
      return generation;
    },
    touch: () => void generation++,
    visibleTo: (caller) => sorted.filter((tool) => visible(tool, caller)),
    find(name, caller) {
      const tool = byName.get(name);
      return tool !== undefined && visible(tool, caller) ? tool : undefined;
    },
    async run(tool, given, context) {
      const input = given ?? {};
      try {
        const problems = await validator(tool)(input);
        if (problems !== undefined) return failed(`Invalid arguments for ${tool.definition.name}: ${problems}`);
        const fields = input as Record<string, unknown>; // the schema's root is an object
        return tool.plain === true ? tool.call(fields) : await tool.call(fields, context());
      } catch (fault) {
        if (fault instanceof ProtocolError) throw fault;
        log.error("A native tool failed.", fault, { tool: tool.definition.name });
        return failed("The tool failed; the log has the reason.");
      }
    },
  };
}

function failed(text: string): NativeResult {
  return { content: [{ type: "text", text }], isError: true };
}
