import type { FarmCore } from "../model/farm-core.ts";
import type { HubFacts } from "../rows/system-info.ts";
import type { LiveDescriptions } from "./live-descriptions.ts";

/** What the farm's tools stand on: the core, and never what lies behind it. */
export interface FarmToolDeps {
  readonly core: FarmCore;
  readonly facts: HubFacts;
  readonly descriptions: LiveDescriptions;
}
