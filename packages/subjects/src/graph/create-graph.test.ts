import { createManualClock, receipt, silentLog } from "@steading/kernel";
import { expect, test } from "vitest";
import { defineSubject } from "../define/define-subject.ts";
import { p } from "../define/p.ts";
import type { Source, SourceContext } from "../sources/source.ts";
import { createGraph } from "./create-graph.ts";

const Lamp = defineSubject("test.lamp.Lamp", {
  props: { on: p.boolean().writable(), level: p.number({ min: 0, max: 100 }) },
});

function lampSource(): Source & { context?: SourceContext } {
  const lamp = Lamp.create();
  return {
    async start(context) {
      this.context = context;
      context.attach("", "desk", lamp);
      context.claim(lamp);
    },
    load: () => Promise.resolve([{ path: "desk/on", value: false, at: 5 }]),
    effectFor: ({ path, value }) => ({
      arguments: { path, value },
      target: "lamp",
      toward: value === false ? "safe" : "live",
      summary: "switch the lamp",
      observer: "lamp",
      observeWith: {},
      drive: { send: () => Promise.resolve(null) },
    }),
    stop: () => Promise.resolve(),
  };
}

test("a mounted lamp is found by its path, changes by what its source says, and is written through the door alone", async () => {
  const graph = createGraph({ clock: createManualClock(), log: silentLog });
  const source = lampSource();
  const handle = graph.addSource("lamps", source, { mount: "/lamps" });
  await handle.start();

  const lamp = graph.find("/lamps/desk");
  expect(lamp?.$path).toBe("/lamps/desk");
  expect(graph.get("/lamps/desk/on")).toBe(false);
  expect(lamp?.$info.property("on")?.changedAt).toBe(5);

  const heard: unknown[] = [];
  lamp?.$on("on", (value, old) => heard.push([old, value]));
  source.context?.write([{ path: "/lamps/desk/on", value: true }]);
  expect(heard).toEqual([[false, true]]);

  await expect(graph.set("/lamps/desk/on", false)).rejects.toMatchObject({ code: "DOOR_NEEDED" });
  const result = await graph.set("/lamps/desk/on", "false", {
    perform(effect) {
      expect(effect.arguments).toEqual({ path: "/lamps/desk/on", value: false });
      expect(graph.get("/lamps/desk/on")).toBe(true);
      source.context?.write([{ path: "desk/on", value: false }]);
      return Promise.resolve({ receipt: receipt("a1", "acknowledged", 0) });
    },
  });
  expect(result).toMatchObject({ previous: true, value: false, status: "acknowledged" });
  await graph.close();
});
