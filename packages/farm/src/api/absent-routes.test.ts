import { createManualClock } from "@steading/kernel";
import { expect, test } from "vitest";
import { createTrialApi } from "../testing/trial-api.ts";
import { createTrialFarm } from "../testing/trial-farm.ts";

test("what is not built says so, with 501 and a sentence, to whoever may ask", async () => {
  const farm = createTrialFarm({ clock: createManualClock() });
  const api = createTrialApi(farm);
  for (const path of ["/api/lab/latest", "/api/cameras", "/api/cloud/status", "/api/fertigation/mixtures"]) {
    const answer = await api.call("GET", path, { role: "viewer" });
    expect(answer).toMatchObject({ status: 501, json: { error: "Not Implemented", code: "NOT_AVAILABLE" } });
    expect(answer.json["message"]).toMatch(/not part of this hub yet/);
  }
  expect((await api.call("POST", "/api/lab-readings", { role: "viewer", body: {} })).status).toBe(403);
  expect((await api.call("POST", "/api/lab-readings", { body: {} })).status).toBe(501);
  expect((await api.call("PUT", "/api/notifications/telegram", { body: {} })).status).toBe(403);
  for (const [method, path] of [
    ["DELETE", "/api/cameras/1"],
    ["POST", "/api/cloud/connect"],
    ["POST", "/api/cloud/disconnect"],
  ] as const) {
    expect([path, (await api.call(method, path)).status]).toEqual([path, 403]);
    expect((await api.call(method, path, { role: "admin" })).status).toBe(501);
  }
  expect((await api.call("POST", "/api/cameras", { body: {} })).status).toBe(501);
  expect((await api.call("POST", "/api/settings/backup", { role: "admin" })).json["message"]).toContain(
    "steading backup",
  );
  await farm.stop();
});
