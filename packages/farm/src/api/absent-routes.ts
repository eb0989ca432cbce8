import type { Route } from "@steading/kernel";
import { farmError } from "../farm-errors.ts";
import { farmRoute } from "./farm-route.ts";

/** Families of the reference that this hub does not have. Each address says so; a 404 would look like a typing mistake. */
const FAMILIES: readonly {
  readonly what: string;
  readonly reads: readonly string[];
  readonly writes: readonly string[];
}[] = [
  {
    what: "Lab readings are",
    reads: [
      ...["/api/lab-readings", "/api/lab-readings/latest", "/api/lab-readings/stats", "/api/lab-readings/nutrients"],
      ...["/api/lab/readings", "/api/lab/latest"],
    ],
    writes: ["POST /api/lab-readings", "PUT /api/lab-readings/:id", "DELETE /api/lab-readings/:id"],
  },
  {
    what: "Fertigation is",
    reads: [
      ...["/api/fertigation/ingredients", "/api/fertigation/mixtures", "/api/fertigation/channels"],
      ...["/api/fertigation/events", "/api/fertigation/consumption", "/api/fertigation/consumption/summary"],
    ],
    writes: [
      ...["POST /api/fertigation/ingredients", "PUT /api/fertigation/ingredients/:id"],
      ...["DELETE /api/fertigation/ingredients/:id", "POST /api/fertigation/mixtures"],
      ...["PUT /api/fertigation/mixtures/:id", "DELETE /api/fertigation/mixtures/:id"],
      "PUT /api/fertigation/channels/:equipmentId/:channel",
    ],
  },
  {
    what: "Cameras are",
    reads: ["/api/cameras", "/api/cameras/:id", "/api/cameras/:id/snapshot", "/api/cameras/:id/snapshots"],
    writes: [
      ...["POST /api/cameras", "PUT /api/cameras/:id"],
      ...["POST /api/cameras/:id/test", "POST /api/cameras/:id/capture"],
    ],
  },
  {
    what: "The cloud connection is",
    reads: [...["/api/cloud/status", "/api/cloud/pending", "/api/cloud/sync-history", "/api/cloud/suggested-programs"]],
    writes: [
      "POST /api/cloud/sync",
      ...["POST /api/cloud/suggested-programs/:id/approve", "POST /api/cloud/suggested-programs/:id/reject"],
    ],
  },
];

/** For admins only, as they will be. */
const ADMIN_FAMILIES: typeof FAMILIES = [
  {
    what: "Notifications are",
    reads: ["/api/notifications/telegram", "/api/notifications/watchdog"],
    writes: ["PUT /api/notifications/telegram", "POST /api/notifications/telegram/test"],
  },
  { what: "Cameras are", reads: [], writes: ["DELETE /api/cameras/:id"] },
  {
    what: "The cloud connection is",
    reads: [],
    writes: ["POST /api/cloud/connect", "POST /api/cloud/disconnect"],
  },
];

export function createAbsentRoutes(): readonly Route[] {
  return [
    ...FAMILIES.flatMap((family) => absent(family, { read: "viewer", write: "operator" })),
    ...ADMIN_FAMILIES.flatMap((family) => absent(family, { read: "admin", write: "admin" })),
  ];
}

function absent(
  { what, reads, writes }: (typeof FAMILIES)[number],
  roles: { readonly read: Route["role"]; readonly write: Route["role"] },
): readonly Route[] {
  const addresses = [...reads.map((path) => `GET ${path}`), ...writes];
  return addresses.map((address) => {
    const [method = "GET", path = ""] = address.split(" ");
    return farmRoute({
      method: method as Route["method"], // written above
      path,
      role: method === "GET" ? roles.read : roles.write,
      summary: `${what} not part of this hub yet; answers 501`,
      handle() {
        throw farmError("NOT_AVAILABLE", `${what} not part of this hub yet.`);
      },
    });
  });
}
