import type { Json } from "@steading/kernel";
import type * as z from "zod";
import type { MethodInfo } from "../info/subject-info.ts";
import { locateSubject } from "./locate-target.ts";
import { parametersOf, returnTypeOf } from "./method-arguments.ts";
import type { ListMethodsOutput } from "./tool-schemas.ts";
import type { World } from "./tool-world.ts";

/** All methods of a subject in every mode; one that this caller cannot run says why. */
export function answerListMethods(world: World, path: string): z.infer<typeof ListMethodsOutput> {
  const { subject } = locateSubject(world, path);
  return { methods: [...world.metadata.methods(subject).values()].map((method) => methodJson(world, method)) };
}

type MethodJson = {
  name: string;
  kind: string;
  parameters: { name: string; type: string; [field: string]: Json }[];
} & Record<string, Json>;

function methodJson(world: World, method: MethodInfo): MethodJson {
  const { name, kind, title, description, icon } = method;
  const returnType = returnTypeOf(method.output);
  const barred = method.isEnabled === false ? "it is disabled at present" : barredBy(world, method);
  return {
    name,
    kind,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(icon === undefined ? {} : { icon }),
    parameters: parametersOf(method).map((parameter) => ({ ...parameter })),
    ...(returnType === undefined ? {} : { returnType }),
    ...(method.requiresConfirmation === true ? { requiresConfirmation: true } : {}),
    isEnabled: barred === undefined,
    ...(barred === undefined ? {} : { reason: barred }),
  };
}

function barredBy(world: World, method: MethodInfo): string | undefined {
  const may = world.access.mayInvoke(method);
  return may.ok ? undefined : may.reason;
}
