import { hours, millis, minutes, seconds, type Duration } from "@steading/kernel";

const KIB = 1024;
const MIB = 1024 * KIB;

/** Every bound the shell keeps. All are settings; the defaults are the MCP contract's section 18. */
export interface Limits {
  readonly bodyBytes: number;
  /** Arrays and objects inside each other. */
  readonly bodyDepth: number;
  readonly headerBytes: number;
  /** Open HTTP connections of one listener. */
  readonly connections: number;
  /** Of one address that is neither this machine nor a trusted proxy. */
  readonly connectionsPerAddress: number;
  /** Requests a client may send on one connection before it has the answer to an earlier one. */
  readonly requestsAhead: number;
  /** Bodies on their way: of callers with a credential that stands, and of one of them. */
  readonly bodies: number;
  readonly bodiesPerPrincipal: number;
  /** The same for callers without one, and for one address. */
  readonly strangerBodies: number;
  readonly strangerBodiesPerAddress: number;
  /** How long a body may bring nothing. */
  readonly bodyIdle: Duration;
  /** How long a body may take in all that nobody known sends. */
  readonly strangerBodyTimeout: Duration;
  readonly headersTimeout: Duration;
  readonly requestTimeout: Duration;
  readonly keepAliveTimeout: Duration;
  /** Messages in one 2025 batch. */
  readonly batchMessages: number;
  readonly toolsPerPage: number;
  readonly resourcesPerPage: number;
  readonly descriptionBytes: number;
  readonly sessions: number;
  readonly sessionsPerPrincipal: number;
  /** Events a session may ask for again after its stream broke. */
  readonly eventsPerSession: number;
  readonly eventBytesPerSession: number;
  /** The same for all sessions together. */
  readonly eventBytes: number;
  /** How soon a 2025 client should come back for a stream the server closed. */
  readonly streamRetry: Duration;
  readonly sessionIdle: Duration;
  readonly sessionLifetime: Duration;
  /** Listen, GET and SSE streams count together. */
  readonly streams: number;
  readonly streamsPerPrincipal: number;
  /** A stream whose reader leaves more than this unread is cut. */
  readonly unreadBytes: number;
  readonly streamKeepAlive: Duration;
  readonly listChangedEvery: Duration;
  readonly resourceUpdatedEvery: Duration;
  /** URIs and task ids in one listen request, or of one 2025 client. */
  readonly subscriptionsPerClient: number;
  readonly calls: number;
  readonly callsPerPrincipal: number;
  /** Kept beside those for calls that make things safe. */
  readonly urgentCalls: number;
  readonly urgentCallsPerPrincipal: number;
  /** Calls of routes that need no credential, of callers who have none. */
  readonly strangerCalls: number;
  readonly strangerCallsPerAddress: number;
  /** For callers that are not on this machine. */
  readonly callsPerSecond: number;
  readonly callBurst: number;
  readonly resultTextBytes: number;
  readonly resultBinaryBytes: number;
  /** Results too large for an answer, kept to be read as resources. */
  readonly keptResultBytes: number;
  readonly keptResultAge: Duration;
  /** No call outlives this; what may take longer runs as a task. */
  readonly longestCall: Duration;
  readonly tasks: number;
  readonly tasksPerPrincipal: number;
  readonly taskAge: Duration;
  readonly taskPoll: Duration;
  readonly completionValues: number;
  readonly completionTime: Duration;
  readonly verifiedTokens: number;
  readonly verifiedTokenAge: Duration;
  readonly lineBytes: number;
  readonly helloTimeout: Duration;
  readonly socketConnections: number;
}

export const DEFAULT_LIMITS: Limits = {
  bodyBytes: 4 * MIB,
  bodyDepth: 512,
  headerBytes: 16 * KIB,
  connections: 8_192,
  connectionsPerAddress: 1_024,
  requestsAhead: 16,
  bodies: 1_024,
  bodiesPerPrincipal: 256,
  strangerBodies: 256,
  strangerBodiesPerAddress: 64,
  bodyIdle: seconds(10),
  strangerBodyTimeout: seconds(20),
  headersTimeout: seconds(20),
  requestTimeout: seconds(60),
  keepAliveTimeout: seconds(75),
  batchMessages: 100,
  toolsPerPage: 500,
  resourcesPerPage: 500,
  descriptionBytes: 2 * KIB,
  sessions: 4096,
  sessionsPerPrincipal: 64,
  eventsPerSession: 1_000,
  eventBytesPerSession: MIB,
  eventBytes: 64 * MIB,
  streamRetry: seconds(1),
  sessionIdle: minutes(30),
  sessionLifetime: hours(24),
  streams: 2048,
  streamsPerPrincipal: 64,
  unreadBytes: 256 * KIB,
  streamKeepAlive: seconds(15),
  listChangedEvery: seconds(2),
  resourceUpdatedEvery: seconds(1),
  subscriptionsPerClient: 256,
  calls: 512,
  callsPerPrincipal: 32,
  urgentCalls: 64,
  urgentCallsPerPrincipal: 16,
  strangerCalls: 128,
  strangerCallsPerAddress: 32,
  callsPerSecond: 50,
  callBurst: 100,
  resultTextBytes: MIB,
  resultBinaryBytes: 8 * MIB,
  keptResultBytes: 64 * MIB,
  keptResultAge: minutes(10),
  longestCall: minutes(5),
  tasks: 1_024,
  tasksPerPrincipal: 64,
  taskAge: hours(1),
  taskPoll: seconds(1),
  completionValues: 100,
  completionTime: millis(200),
  verifiedTokens: 10_000,
  verifiedTokenAge: seconds(60),
  lineBytes: 10 * MIB,
  helloTimeout: seconds(5),
  socketConnections: 64,
};
