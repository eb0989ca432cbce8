import { defineTool, minutes, type Tool } from "@steading/kernel";
import { guarded } from "./guard-handler.ts";
import { answerInvokeMethod } from "./invoke-method.ts";
import { answerListMethods } from "./list-methods.ts";
import { answerListTypes } from "./list-types.ts";
import {
  InvokeMethodInput,
  InvokeMethodOutput,
  ListMethodsInput,
  ListMethodsOutput,
  ListTypesInput,
  ListTypesOutput,
} from "./tool-schemas.ts";
import type { Worlds } from "./tool-world.ts";

export function createListTypesTool(worlds: Worlds): Tool {
  return defineTool({
    name: "list_types",
    title: "List types",
    summary:
      "List the interfaces (capabilities) that subjects can have, for use in query's filter.types. Start here when you look for something.",
    input: ListTypesInput,
    output: ListTypesOutput,
    intent: "READ_ONLY",
    minimumRole: "viewer",
    essential: true,
    handler: guarded(
      () => worlds.graph().log,
      "list_types",
      (input, { caller }) => answerListTypes(worlds.open(caller), input),
    ),
  });
}

export function createListMethodsTool(worlds: Worlds): Tool {
  return defineTool({
    name: "list_methods",
    title: "List methods",
    summary:
      "List what a subject can do: each method's kind (query: no side effect; operation), parameters, and whether you may run it.",
    input: ListMethodsInput,
    output: ListMethodsOutput,
    intent: "READ_ONLY",
    minimumRole: "viewer",
    essential: true,
    handler: guarded(
      () => worlds.graph().log,
      "list_methods",
      (input, { caller }) => answerListMethods(worlds.open(caller), input.path),
    ),
  });
}

export function createInvokeMethodTool(worlds: Worlds): Tool {
  return defineTool({
    name: "invoke_method",
    title: "Run a method",
    summary:
      "Run a method of a subject with named arguments, as list_methods describes them. Dangerous ones need an approval.",
    input: InvokeMethodInput,
    output: InvokeMethodOutput,
    intent: "MUTATE",
    // Viewers may run queries; what more a method needs is decided per method.
    minimumRole: "viewer",
    acceptsApproval: true,
    annotations: { destructiveHint: true },
    // Methods have limits of their own; this one only catches what hangs beyond all of them.
    deadline: minutes(10),
    essential: true,
    handler: guarded(
      () => worlds.graph().log,
      "invoke_method",
      (input, context) => answerInvokeMethod(worlds.open(context.caller), input, context),
    ),
  });
}
