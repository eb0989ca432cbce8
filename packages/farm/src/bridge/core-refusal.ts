import { deviceText, isJsonObject, SteadingError, type JsonObject } from "@steading/kernel";
import { FARM_ERRORS, farmError } from "../farm-errors.ts";
import { farmStatus } from "../farm-status.ts";
import { bridgeError } from "./bridge-errors.ts";
import type { CoreAnswer } from "./core-http.ts";

/** What a call was about, so that a refusal can say so. */
export interface CoreSubject {
  readonly kind: "equipment" | "automation";
  readonly id: number;
  /** Commands reach devices: what fails behind them is the device's failure. */
  readonly command: boolean;
  /** What there is instead, as far as it is known. */
  readonly choices?: string | undefined;
}

const MOST_TEXT = 300;
const MOST_DETAILS = 4_000;

/** A refusal of the core as the error that our own core would have thrown. */
export function coreRefusal(answer: CoreAnswer, about?: CoreSubject): SteadingError {
  const { status } = answer;
  const body = isJsonObject(answer.body) ? answer.body : {};
  return ownRefusal(status, body) ?? refusalByStatus(status, said(body), about);
}

/** Our own core names its codes; one that fits its status is taken at its word. */
function ownRefusal(status: number, body: JsonObject): SteadingError | undefined {
  const { code, details, rule, retryable } = body;
  if (typeof code !== "string" || farmStatus(code) !== status) return undefined;
  const known = isJsonObject(details) && JSON.stringify(details).length <= MOST_DETAILS ? details : {};
  const row: { readonly retryable: boolean } | undefined = (FARM_ERRORS as Record<string, { retryable: boolean }>)[
    code
  ];
  return new SteadingError(code, said(body), {
    retryable: typeof retryable === "boolean" ? retryable : (row?.retryable ?? false),
    details: { ...known, ...(typeof rule === "string" ? { rule: deviceText(rule, 60) } : {}) },
  });
}

function refusalByStatus(status: number, text: string, about: CoreSubject | undefined): SteadingError {
  const told = text === "" ? `The core answered ${status}.` : `The core answered ${status}: "${text}".`;
  const target = about && `${about.kind === "equipment" ? "equipment" : "automation"} ${about.id}`;
  const details = about && { [`${about.kind}_id`]: about.id };
  const extras = { ...(details ? { details } : {}) };
  const choices = about?.choices === undefined ? "" : ` ${about.choices}`;
  const sentence = target === undefined ? told : `For ${target}: ${told}${choices}`;
  if (status >= 300 && status < 400) {
    return bridgeError("CORE_GARBLED", "The core answered with a redirect, and those are not followed.");
  }
  switch (status) {
    case 400:
    case 413:
      return farmError("BAD_INPUT", sentence, extras);
    case 401:
      return bridgeError("SESSION_ENDED", "The core does not accept this login any more.");
    case 403:
      return new SteadingError("ACCESS_DENIED", `The core says that this login may not do that. ${told}`);
    case 404:
      if (!about) return bridgeError("CORE_GARBLED", `This core does not know the call. ${told}`);
      return farmError(
        about.kind === "equipment" ? "EQUIPMENT_UNKNOWN" : "AUTOMATION_UNKNOWN",
        `There is no ${target}.${choices}`,
        extras,
      );
    case 409:
      return new SteadingError("CONFLICT", sentence, extras);
    case 422:
      return farmError("NOT_SWITCHABLE", sentence, extras);
    case 429:
      return bridgeError("CORE_BUSY", told);
    case 501:
      return farmError("NOT_AVAILABLE", sentence, extras);
    case 503:
      return bridgeError("CORE_DOWN", told);
    default:
      return failure(status, sentence, { text, command: about?.command === true, extras });
  }
}

function failure(
  status: number,
  sentence: string,
  { text, command, extras }: { text: string; command: boolean; extras: { details?: JsonObject } },
): SteadingError {
  if (!command || status < 500) {
    return bridgeError(status === 504 ? "CORE_TIMEOUT" : "CORE_FAILED", sentence, extras);
  }
  // The reference answers 500 for every device that fails, and tells a silent one only in its text.
  const silent = status === 504 || /tim(?:ed?|e[ -]?)[ -]?out|ETIMEDOUT/i.test(text);
  return farmError(silent ? "DEVICE_TIMEOUT" : "DEVICE_EXCEPTION", sentence, extras);
}

/** The reference leaves out `message` in some places, and puts the text into `error`. */
function said({ message, error }: JsonObject): string {
  const text = typeof message === "string" && message !== "" ? message : error;
  return typeof text === "string" ? deviceText(text, MOST_TEXT) : "";
}
