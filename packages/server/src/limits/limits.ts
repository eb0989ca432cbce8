import { hours, minutes, seconds, type Duration } from "@steading/kernel";

const KIB = 1024;
const MIB = 1024 * KIB;

/** Every bound the shell keeps. All are settings; the defaults are the MCP contract's section 18. */
export interface Limits {
  readonly bodyBytes: number;
  readonly headerBytes: number;
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
  readonly sessionIdle: Duration;
  readonly sessionLifetime: Duration;
  /** A stream whose reader leaves more than this unread is cut. */
  readonly unreadBytes: number;
  readonly streamKeepAlive: Duration;
  readonly listChangedEvery: Duration;
  readonly resourceUpdatedEvery: Duration;
  readonly subscriptionsPerClient: number;
  readonly verifiedTokens: number;
  readonly verifiedTokenAge: Duration;
  readonly lineBytes: number;
  readonly helloTimeout: Duration;
  readonly socketConnections: number;
}

export const DEFAULT_LIMITS: Limits = {
  bodyBytes: 4 * MIB,
  headerBytes: 16 * KIB,
  headersTimeout: seconds(20),
  requestTimeout: seconds(60),
  keepAliveTimeout: seconds(75),
  batchMessages: 100,
  toolsPerPage: 500,
  resourcesPerPage: 500,
  descriptionBytes: 2 * KIB,
  sessions: 4096,
  sessionsPerPrincipal: 64,
  sessionIdle: minutes(30),
  sessionLifetime: hours(24),
  unreadBytes: 256 * KIB,
  streamKeepAlive: seconds(15),
  listChangedEvery: seconds(2),
  resourceUpdatedEvery: seconds(1),
  subscriptionsPerClient: 256,
  verifiedTokens: 10_000,
  verifiedTokenAge: seconds(60),
  lineBytes: 10 * MIB,
  helloTimeout: seconds(5),
  socketConnections: 64,
};
