import { defineTool, type SnapshotInfo, type Snapshots, type Toolset } from "@steading/kernel";
import * as z from "zod";

/** The graph's name among the parts that can be captured. */
export const GRAPH = "graph";

const SnapshotJson = z.object({
  snapshot_id: z.string().describe("For query and get_property."),
  captured_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
});

/** Moments of the graph that stay as they were, for answers that must fit together. Nothing outside the hub changes. */
export function createSnapshotTools({ snapshots }: { readonly snapshots: Snapshots }): Toolset {
  const take = defineTool({
    name: "take_snapshot",
    title: "Keep this moment",
    summary:
      "Keeps the whole graph as it is at this moment, for a few minutes. Pass `snapshot_id` to query and get_property to read it.",
    input: z.object({}),
    output: SnapshotJson,
    intent: "READ_ONLY",
    minimumRole: "viewer",
    handler: (_, { caller }) => snapshotJson(snapshots.capture(caller, [GRAPH])),
  });
  const release = defineTool({
    name: "release_snapshot",
    title: "Let a moment go",
    summary: "Gives a snapshot back before it expires. Only whoever took it can.",
    input: z.object({ snapshot_id: z.string().min(1).max(100) }),
    output: z.object({ released: z.literal(true) }),
    intent: "READ_ONLY",
    minimumRole: "viewer",
    handler({ snapshot_id: id }, { caller }) {
      snapshots.drop(id, caller);
      return { released: true as const };
    },
  });
  return { name: "snapshots", tools: [release, take] };
}

function snapshotJson({ id, createdAt, expiresAt }: SnapshotInfo): z.infer<typeof SnapshotJson> {
  return {
    snapshot_id: id,
    captured_at: new Date(createdAt).toISOString(),
    expires_at: new Date(expiresAt).toISOString(),
  };
}
