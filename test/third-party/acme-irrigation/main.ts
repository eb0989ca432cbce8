import { createRealClock, silentLog, type Caller } from "@steading/kernel";
import { createGraph, defineSubject, m, p } from "@steading/subjects";
import { acmeTypes, createAcmeSubjectTools, irrigation, taggedPaths } from "./index.ts";

const Tank = defineSubject("acme.Tank", {
  props: { level: p.number({ unit: "Liter", description: "acme:fill" }), pin: p.string({ description: "ours" }) },
  methods: { drain: m.operation({}, (tank) => tank.$set("level", 0)) },
});
const root = Tank.create({ level: 40, pin: "4711" });
const graph = createGraph({ clock: createRealClock(), log: silentLog, root });
const tools = createAcmeSubjectTools(root, (config) => {
  config.pathProvider = taggedPaths;
  config.addMetadataProvider(irrigation).addTypeProvider(acmeTypes);
});
const caller: Caller = { principal: "acme", role: "operator", transport: "internal", correlation: "main" };

async function ask(name: string, args: object): Promise<unknown> {
  const tool = tools.tools.find((each) => each.name === name);
  if (tool === undefined) throw new Error(`There is no ${name}.`);
  const context = {
    caller,
    signal: new AbortController().signal,
    progress() {},
    perform: () => Promise.reject(new Error("Nothing here has an effect.")),
  };
  return tool.run(tool.parse(args).input, context);
}

const answers = {
  query: await ask("query", { includeProperties: true }),
  types: await ask("list_types", {}),
  methods: await ask("list_methods", { path: "/" }),
  described: await ask("invoke_method", { path: "/", method: "describe" }),
  fill: await ask("get_property", { path: "/fill" }),
};
console.log(JSON.stringify(answers));
await graph.close();
