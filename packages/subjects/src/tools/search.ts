import type { Json } from "@steading/kernel";
import type * as z from "zod";
import { browseNode, includingOf, type MutableJson } from "./browse.ts";
import type { SearchInput, SearchOutput } from "./extras-schemas.ts";
import { entrySize, jsonSize } from "./json-size.ts";
import { putOwn } from "./put-own.ts";
import { isOf } from "./query.ts";
import { textHits } from "./text-hits.ts";
import type { World } from "./tool-world.ts";

/** Subjects by text and by type, over the whole graph or below one path. */
export function answerSearch(world: World, input: z.infer<typeof SearchInput>): z.infer<typeof SearchOutput> {
  const { limits } = world.config;
  const limit = Math.min(input.maxSubjects ?? limits.maxSubjects, limits.maxSubjects);
  const including = includingOf(input);
  const types = world.types.fullNames(input.types ?? [], "types");
  const excluded = world.types.fullNames(input.excludeTypes ?? [], "excludeTypes");
  const results: MutableJson = {};
  let room = limits.maxResponseChars;
  let subjectCount = 0;
  for (const { path, subject } of textHits(world, input.path ?? "/", input.query ?? "")) {
    if (types.size > 0 && !isOf(world, subject, types)) continue;
    if (excluded.size > 0 && isOf(world, subject, excluded)) continue;
    if (subjectCount >= limit) return { results, subjectCount, truncated: true };
    const node = browseNode(world, subject, path, including);
    const size = entrySize(path, jsonSize(node));
    if (size > room && subjectCount > 0) return { results, subjectCount, truncated: true };
    room -= size;
    putOwn<Json, MutableJson>(results, path, node);
    subjectCount++;
  }
  return { results, subjectCount, truncated: false };
}
