import { seconds } from "@steading/kernel";

/** The client gives up after ten seconds; an answer, if need be an error, comes before that. */
export const TOOL_DEADLINE = seconds(9);
