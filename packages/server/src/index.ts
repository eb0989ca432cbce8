export { createServer, type McpServer } from "./server.ts";
export type { ServerDeps } from "./server-deps.ts";
export type { ServerInfo } from "./eras/build-instance.ts";
export { DEFAULT_LIMITS, type Limits } from "./limits/limits.ts";
export { LimitSettings, limitsFrom } from "./limits/limit-settings.ts";
export { createAccessTokens, type AccessToken, type AccessTokens, type NewToken } from "./auth/access-tokens.ts";
export type { Authenticated, Authenticator } from "./auth/authenticator.ts";
export type { AppPage } from "./apps/app-page.ts";
export { createLocalBus, type Change, type ChangeBus } from "./changes/change-bus.ts";
export type { NativeContext, NativeResult, NativeTool } from "./native/native-tool.ts";
export type { Completer, PromptArgument, PromptInfo, PromptSource } from "./prompts/prompt-source.ts";
export type { CacheHint, ResourceSource, ServedContent } from "./lists/resource-source.ts";
export type { SsePostAuth } from "./eras/sse-legs.ts";
export { counterMetrics, type CounterMetrics } from "./metrics/counter-metrics.ts";
export type { Metric } from "./metrics/metrics.ts";
export { SHELL_ERRORS } from "./shell-errors.ts";
export type { ListenAt } from "./http/http-listener.ts";
export type { ServedStream } from "./stdio/serve-streams.ts";
export type { LocalSocket } from "./stdio/serve-socket.ts";
export { createConformanceFixtures, type ConformanceFixtures } from "./conformance/conformance-fixtures.ts";
export { createFindToolset } from "./find/find-toolset.ts";
export type { AuthorizationInfo } from "./auth/authorization-info.ts";
export { assertSafeListener, type ListenerSafety } from "./http/safe-listener.ts";
export { ACCOUNT_ERRORS } from "./accounts/account-errors.ts";
export { ACCOUNT_LIMITS, type AccountLimits } from "./accounts/account-limits.ts";
export type { FirstAdmin } from "./accounts/bootstrap.ts";
export {
  createAccounts,
  type AccountChanges,
  type AccountCounters,
  type AccountsDeps,
  type WorkingAccounts,
} from "./accounts/create-accounts.ts";
export { createAccountDesk, type WorkingAccountDesk } from "./accounts/desk/account-desk.ts";
export { IssuerSettings } from "./accounts/jwt/issuer-settings.ts";
export { readJwtSecret } from "./accounts/jwt/jwt-secret.ts";
export { readView } from "./stdio/read-view.ts";
