import type { Tracer } from "@opentelemetry/api";
import type { Approvals, Clock, Dispatcher, Duration, Health, JsonObject, Ledger, Log } from "@steading/kernel";
import type { AppPage } from "./apps/app-page.ts";
import type { Authenticator } from "./auth/authenticator.ts";
import type { AuthorizationInfo } from "./auth/authorization-info.ts";
import type { Refusal } from "./auth/bearer-gate.ts";
import type { ChangeBus } from "./changes/change-bus.ts";
import type { ServerInfo } from "./eras/build-instance.ts";
import type { SsePath } from "./eras/sse.ts";
import type { SsePostAuth } from "./eras/sse-legs.ts";
import type { HealthBody } from "./http/plain-answers.ts";
import type { Limits } from "./limits/limits.ts";
import type { ResourceSource } from "./lists/resource-source.ts";
import type { Metric } from "./metrics/metrics.ts";
import type { NativeTool } from "./native/native-tool.ts";
import type { Completer, PromptSource } from "./prompts/prompt-source.ts";
import type { RoutedPart } from "./routes/route-sets.ts";

/** All that a shell is made of. What has a question mark has a sensible absence. */
export interface ServerDeps {
  readonly dispatcher: Dispatcher;
  readonly resources: readonly ResourceSource[];
  readonly authenticator: Authenticator;
  /** What clients are told about where to get a token. Absent: only that they need one. */
  readonly authorization?: AuthorizationInfo;
  readonly info: ServerInfo;
  /** For the model at the other end; at most 2 KB and the same for everybody. */
  readonly instructions: string;
  readonly clock: Clock;
  readonly log: Log;
  health(): Health;
  /** What `/health` answers; absent: that we live, and nothing else. */
  readonly healthBody?: HealthBody;
  /** The body of 401, 403 and 503 at the gate; absent: the one of OAuth. */
  refusalBody?(refusal: Refusal): JsonObject;
  /** What the rest of the hub counts, for `/metrics`. Asked each time somebody looks; `counterMetrics` makes them. */
  metrics?(): readonly Metric[];
  /** Gets a span for each request: names and ids, never arguments. Absent: no tracing. */
  readonly tracer?: Tracer;
  /** Whose routes and sockets are served beside MCP. */
  readonly parts?: readonly RoutedPart[];
  readonly limits?: Partial<Limits>;
  /** Host names besides those of loopback. */
  readonly allowedHosts?: readonly string[];
  /** On a listener off loopback the machine's own addresses are allowed hosts as well. */
  readonly ownAddressesAllowed?: boolean;
  /** Host names of web pages that may call us and read the answers; `scheme://*` for browser extensions. */
  readonly allowedOrigins?: readonly string[];
  readonly prompts?: readonly PromptSource[];
  readonly completers?: readonly Completer[];
  readonly apps?: readonly AppPage[];
  /** Tools that speak MCP themselves; see `NativeTool`. Refused unless this is `conformance`. */
  readonly natives?: readonly NativeTool[];
  /** The referee's fixtures are served, and nothing of a real place. */
  readonly conformance?: boolean;
  /** How often a resource of this class may be announced; the limit's default where it says nothing. */
  resourceUpdatedEvery?(uri: string): Duration | undefined;
  /** Where changes cross to other processes of the same site. */
  readonly changeBus?: ChangeBus;
  /** Signs what travels through clients between two rounds of a call; at least 32 bytes. Generated when absent. */
  readonly stateKey?: Uint8Array;
  /** Where a client's no is written down. Absent: no client is asked, each is told the approval's id instead. */
  readonly approvals?: Pick<Approvals, "decide" | "get">;
  /** Where tasks that act are written down. Absent: a task ends with the process that made it. */
  readonly ledger?: Ledger;
  readonly ssePostAuth?: SsePostAuth;
  /** Where clients of HTTP+SSE are told to send messages; both addresses take them. */
  readonly ssePath?: SsePath;
  /** How 2025 sessions answer: an event stream, which can carry questions and progress, or JSON for clients that want neither. */
  readonly sessionAnswers?: "stream" | "json";
  /** Notices that one client gets in a second; what is more becomes the last one of each resource. Absent: no bound. */
  readonly noticesPerSecond?: number;
  /** A full house ends the session that was idle longest, where it would else turn the newcomer away. */
  readonly sessionsGiveWay?: boolean;
  /** On unless this is false. */
  readonly hotPath?: boolean;
  /** For 2025 clients that insist on `logging/setLevel`. */
  readonly logging?: boolean;
}
