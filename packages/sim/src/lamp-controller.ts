import type { LampLine } from "./lamp-line-reader.ts";

export type LampState = "on" | "off";

export type LampRequest =
  | { readonly kind: "switch"; readonly to: LampState }
  | { readonly kind: "read" }
  | { readonly kind: "count" }
  | { readonly kind: "reset-counter" }
  | { readonly kind: "factory-reset" }
  | { readonly kind: "not-understood" };

/** What a line asks for. Exact bytes: a CR before the LF, a blank or a second character make another line. */
export function toLampRequest(line: LampLine): LampRequest {
  if (line.kind === "too-long" || line.bytes.length !== 1) return { kind: "not-understood" };
  switch (line.bytes[0]) {
    case 0x31:
      return { kind: "switch", to: "on" };
    case 0x30:
      return { kind: "switch", to: "off" };
    case 0x3f:
      return { kind: "read" };
    case 0x23:
      return { kind: "count" };
    case 0x43:
      return { kind: "reset-counter" };
    case 0x46:
      return { kind: "factory-reset" };
    default:
      return { kind: "not-understood" };
  }
}

export interface LampController {
  readonly state: LampState;
  readonly switchCommands: number;
  /** Carries the request out and returns the true answer, without its LF. */
  carryOut(request: LampRequest): string;
  /** The opposite of what was commanded last; the truth while nothing has been commanded. */
  readonly lie: LampState;
}

/** The lamp behind the socket: what it is, and how often it was told to switch. */
export function createLampController(): LampController {
  let state: LampState = "off";
  let switchCommands = 0;

  return {
    get state() {
      return state;
    },
    get switchCommands() {
      return switchCommands;
    },
    get lie() {
      if (switchCommands === 0) return state;
      return state === "on" ? "off" : "on";
    },
    carryOut(request) {
      switch (request.kind) {
        case "switch":
          state = request.to;
          switchCommands += 1;
          return "A";
        case "read":
          return toAnswer(state);
        case "count":
          return `N${switchCommands}`;
        case "reset-counter":
          switchCommands = 0;
          return "A";
        case "factory-reset":
          state = "off";
          switchCommands = 0;
          return "A";
        case "not-understood":
          return "E";
      }
    },
  };
}

export function toAnswer(state: LampState): string {
  return state === "on" ? "1" : "0";
}
