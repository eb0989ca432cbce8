export { createServer, type McpServer, type ServerDeps } from "./server.ts";
export type { ServerInfo } from "./eras/build-instance.ts";
export { DEFAULT_LIMITS, type Limits } from "./limits/limits.ts";
export { createAccessTokens, type AccessToken, type AccessTokens, type NewToken } from "./auth/access-tokens.ts";
export type { Authenticated, Authenticator } from "./auth/authenticator.ts";
export { SHELL_ERRORS } from "./shell-errors.ts";
export type { ListenAt } from "./http/http-listener.ts";
export type { ServedStream } from "./stdio/serve-streams.ts";
export type { LocalSocket } from "./stdio/serve-socket.ts";
