import type { Clock } from "@steading/kernel";
import type { Authenticator } from "../auth/authenticator.ts";
import type { ServerDeps } from "../server-deps.ts";
import { askingTools } from "./asking-tools.ts";
import { contentTools } from "./content-tools.ts";
import { fixturePrompts } from "./fixture-prompts.ts";
import { fixtureResources } from "./fixture-resources.ts";
import { pushingTools } from "./pushing-tools.ts";
import { taskTools } from "./task-tools.ts";

/** What a shell is given in addition when the referee comes. */
export type ConformanceFixtures = Required<
  Pick<ServerDeps, "resources" | "prompts" | "natives" | "conformance" | "logging" | "authenticator">
>;

/** The referee sends no credentials; a listener off loopback refuses to start with this. */
const everybody: Authenticator = {
  anonymous: { principal: "referee", role: "admin" },
  authenticate: () => Promise.resolve(undefined),
};

/** The names the conformance referee calls. Only for `serve --conformance`; a real hub never lists them. */
export function createConformanceFixtures({ clock }: { readonly clock: Clock }): ConformanceFixtures {
  return {
    authenticator: everybody,
    conformance: true,
    natives: [...contentTools(clock), ...pushingTools(), ...askingTools(), ...taskTools(clock)],
    resources: [fixtureResources()],
    prompts: [fixturePrompts()],
    logging: true,
  };
}
