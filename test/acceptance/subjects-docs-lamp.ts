import { createRealClock, silentLog } from "@steading/kernel";
import { createGraph, createSubjectTools, defineSubject, p } from "@steading/subjects";

const Lamp = defineSubject("demo.Lamp", {
  props: { on: p.boolean().writable().path("mcp", "on"), note: p.string() },
});
const lamp = Lamp.create({ on: false, note: "for us alone" });
createGraph({ clock: createRealClock(), log: silentLog, root: lamp });
export const tools = createSubjectTools(lamp); // a toolset: hand it to a dispatcher or a server
