import { seconds, type Duration } from "@steading/kernel";

const KIB = 1024;
const MIB = 1024 * KIB;

/** Bounds of routes and sockets, where a part does not set its own. */
export interface RouteLimits {
  readonly bodyBytes: number;
  readonly bodyDepth: number;
  readonly deadline: Duration;
  /** Characters of one parameter in a path. */
  readonly parameterLength: number;
  /** Open WebSockets in all, and of one principal; as many again without a credential of ours, and of one address. */
  readonly sockets: number;
  readonly socketsPerPrincipal: number;
  readonly messageBytes: number;
  /** A socket whose reader leaves more than this unread is cut. */
  readonly socketBuffer: number;
  /** How long a part may think about an upgrade. */
  readonly openTimeout: Duration;
  /** A socket that has said nothing by the second of two pings is cut. */
  readonly pingEvery: Duration;
  /** How long a closing socket may take to say goodbye. */
  readonly closeTimeout: Duration;
}

export const ROUTE_LIMITS: RouteLimits = {
  bodyBytes: MIB,
  bodyDepth: 64,
  deadline: seconds(30),
  parameterLength: 512,
  sockets: 2_048,
  socketsPerPrincipal: 64,
  messageBytes: MIB,
  socketBuffer: MIB,
  openTimeout: seconds(10),
  pingEvery: seconds(30),
  closeTimeout: seconds(2),
};
