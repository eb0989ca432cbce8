import { DISPATCHER_LIMITS, millis, type Duration } from "@steading/kernel";
import * as z from "zod";
import { DEFAULT_LIMITS, type Limits } from "./limits.ts";

type DurationName = { [Name in keyof Limits]: Limits[Name] extends Duration ? Name : never }[keyof Limits];
type NumberName = Exclude<keyof Limits, DurationName>;

/** What each limit is called in the settings is its own name; those that are times end in `Ms`. */
const NUMBERS = {
  bodyBytes: "Bytes of one request's body.",
  bodyDepth: "Arrays and objects inside each other in a body.",
  headerBytes: "Bytes of a request's headers.",
  connections: "Open HTTP connections of one listener.",
  connectionsPerAddress: "Open HTTP connections of one network address.",
  requestsAhead: "Requests a client may send before it has the answer to an earlier one.",
  bodies: "Unfinished bodies of callers with a credential; beyond it the oldest gives way.",
  bodiesPerPrincipal: "Unfinished bodies of one person or token owner; beyond it the oldest gives way.",
  strangerBodies: "Unfinished bodies of callers without a credential; beyond it the oldest gives way.",
  strangerBodiesPerAddress: "Such bodies of one network address; beyond it the oldest gives way.",
  batchMessages: "Messages in one batch of a 2025 client.",
  toolsPerPage: "Tools on one page of a list.",
  resourcesPerPage: "Resources or prompts on one page of a list.",
  descriptionBytes: "Bytes of a tool's description; longer ones are cut.",
  sessions: "Sessions of 2025 clients.",
  sessionsPerPrincipal: "Sessions of one person or token owner.",
  eventsPerSession: "Events that a session may ask for again.",
  eventBytesPerSession: "Bytes of those events.",
  eventBytes: "Bytes of the events of all sessions.",
  streams: "Open streams of all kinds.",
  streamsPerPrincipal: "Open streams of one person or token owner.",
  unreadBytes: "Bytes a reader may leave unread before its stream is cut.",
  subscriptionsPerClient: "Resources and tasks that one client may follow.",
  calls: "Calls running at one time.",
  callsPerPrincipal: "Calls of one person or token owner running at one time.",
  urgentCalls: "Calls beyond those that make things safe: an OFF, a stop.",
  urgentCallsPerPrincipal: "Such calls of one person or token owner.",
  strangerCalls: "Calls running at one time of callers without a credential.",
  strangerCallsPerAddress: "Such calls of one network address.",
  callsPerSecond: "Calls of one remote person or token owner in a second.",
  callBurst: "How many such calls may come at once.",
  resultTextBytes: "Bytes of text in one result; more is kept as a resource.",
  resultBinaryBytes: "Bytes of binary data in one result; more is kept as a resource.",
  keptResultBytes: "Bytes of all results kept as resources.",
  tasks: "Tasks kept.",
  tasksPerPrincipal: "Tasks kept for one person or token owner.",
  completionValues: "Values in one completion.",
  verifiedTokens: "Verified tokens remembered.",
  lineBytes: "Bytes of one line on stdio or the local socket.",
  socketConnections: "Connections to the local socket.",
} as const satisfies Record<NumberName, string>;

const DURATIONS = {
  bodyIdle: "How long a body may bring nothing.",
  strangerBodyTimeout: "How long a body may take that comes without a credential.",
  headersTimeout: "How long a client may take for its headers.",
  requestTimeout: "How long a client may take for a whole request.",
  keepAliveTimeout: "How long an idle connection is kept.",
  streamRetry: "How soon a 2025 client should come back for a closed stream.",
  sessionIdle: "How long a session lives unused.",
  sessionLifetime: "How long a session lives at most.",
  streamKeepAlive: "How often a quiet stream says that it lives.",
  listChangedEvery: "How often a changed list is announced at most.",
  resourceUpdatedEvery: "How often a changed resource is announced at most.",
  keptResultAge: "How long a large result is kept.",
  longestCall: "How long a call may take that is no task.",
  taskAge: "How long a task is kept.",
  taskPoll: "How often a client should ask for a task.",
  completionTime: "How long a completion may take.",
  verifiedTokenAge: "How long a token is taken for verified.",
  helloTimeout: "How long a client of the local socket may take to say hello.",
} as const satisfies Record<DurationName, string>;

const numberNames = Object.keys(NUMBERS) as NumberName[]; // the table's own
const durationNames = Object.keys(DURATIONS) as DurationName[];

/** Nothing is switched off by a huge number: memory and timers end before that. */
const MOST = 2 ** 31 - 1;
const wholeNumber = (description: string, fallback: number) =>
  z.exactOptional(z.int().min(1).max(MOST)).meta({ description: `${description} Default ${fallback}.` });

type LimitShape = { readonly [Name in NumberName]: ReturnType<typeof wholeNumber> } & {
  readonly [Name in `${DurationName}Ms`]: ReturnType<typeof wholeNumber>;
};
const shape = Object.fromEntries([
  ...numberNames.map((name) => [name, wholeNumber(NUMBERS[name], DEFAULT_LIMITS[name])]),
  ...durationNames.map((name) => [`${name}Ms`, wholeNumber(DURATIONS[name], DEFAULT_LIMITS[name])]),
]) as LimitShape; // from the two tables, which name every limit

/** Not the shell's: the dispatcher counts, for every way in. */
const argumentElements = wholeNumber(
  "Items and names, at every depth, in the arguments of one call.",
  DISPATCHER_LIMITS.argumentElements,
);

/** Every limit of a call's way in, for a settings file. What is left out keeps its default. */
export const LimitSettings = z.strictObject({ ...shape, argumentElements }).superRefine((given, context) => {
  const { headersTimeout, requestTimeout } = { ...DEFAULT_LIMITS, ...limitsFrom(given) };
  if (headersTimeout <= requestTimeout) return;
  const message = "headersTimeoutMs must not be longer than requestTimeoutMs: headers are part of the request";
  context.addIssue({ code: "custom", path: ["headersTimeoutMs"], message });
});
export type LimitSettings = z.infer<typeof LimitSettings>;

/** What `createServer` takes as its limits. */
export function limitsFrom(given: Omit<LimitSettings, "argumentElements">): Partial<Limits> {
  const read = given as Readonly<Record<string, number | undefined>>; // every member is one
  const entries = [
    ...numberNames.map((name) => [name, read[name]] as const),
    ...durationNames.map((name) => {
      const value = read[`${name}Ms`];
      return [name, value === undefined ? undefined : millis(value)] as const;
    }),
  ];
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as Partial<Limits>;
}
