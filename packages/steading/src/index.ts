export { createHub, type Hub, type HubDeps } from "./hub/create-hub.ts";
export { createSteadingSubjectTools } from "./hub/subject-tools.ts";
export { defaultSettings, parseSettings, readSettings, SETTINGS_FILE } from "./settings/read-settings.ts";
export { settingsJsonSchema, Settings } from "./settings/settings-schema.ts";
