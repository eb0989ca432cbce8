import type { SourceOptions } from "../sources/source.ts";
import { openGraph, type TestGraph } from "./test-graph.ts";
import { scriptedSource, Valve, type AnyValve, type ScriptedSource } from "./test-sources.ts";
import type { SourceHandle } from "../sources/source.ts";

export interface Connected extends TestGraph {
  readonly valve: AnyValve;
  readonly source: ScriptedSource;
  readonly handle: SourceHandle;
}

/** A graph with one synchronized source at `/m`, whose valve has a target of 20 and is closed. */
export async function connected(
  writes: "door" | "mirror" = "door",
  options: Partial<SourceOptions> = {},
): Promise<Connected> {
  const opened = openGraph();
  const valve = Valve.create();
  const source = scriptedSource({ writes, valve });
  source.snapshot = [
    { path: "valve/target", value: 20 },
    { path: "/m/valve/open", value: false },
  ];
  const handle = opened.graph.addSource("m", source, { mount: "/m", jitter: () => 0.5, ...options });
  await handle.start();
  return { ...opened, valve, source, handle };
}
