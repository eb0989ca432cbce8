import type { BusTelegram } from "../bus/bus-events.ts";

const hex = (bytes: Iterable<number>): string =>
  [...bytes].map((byte) => byte.toString(16).padStart(2, "0").toUpperCase()).join(" ");

/** A telegram as one line for people: `16:00:44.120 10 > 08 B5 11 01 | 31 30 …`, with `*` before our own. */
export function telegramLine({ scope, telegram, at }: BusTelegram): string {
  const { source, target, primary, secondary, data, response } = telegram;
  const time = new Date(at).toISOString().slice(11, 23);
  const command = hex([primary, secondary, ...data]);
  const answer = response === undefined ? "" : ` | ${response.length === 0 ? "-" : hex(response)}`;
  return `${time} ${scope === "active" ? "*" : " "}${hex([source])} > ${hex([target])} ${command}${answer}`;
}

/** The same for programs. Bytes are plain hex. */
export function telegramJson({ scope, telegram, at }: BusTelegram) {
  const { kind, source, target, primary, secondary, data, response } = telegram;
  return {
    at: new Date(at).toISOString(),
    scope,
    kind,
    source,
    target,
    primary,
    secondary,
    data: Buffer.from(data).toString("hex"),
    ...(response !== undefined && { response: Buffer.from(response).toString("hex") }),
  };
}
