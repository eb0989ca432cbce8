import { days, minutes } from "@steading/kernel";

/** 03:30, when nobody looks. */
const NIGHT = 3 * 60 + 30;
/** The clocks of all places differ by multiples of this. */
const QUARTER = minutes(15);

/** The next time at which the clocks of a place pass 03:30. On the night that has no 03:30, when they leap over it. */
export function nextNight(now: number, timeZone?: string): number {
  const clockOf = new Intl.DateTimeFormat("en-GB", {
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    ...(timeZone === undefined ? {} : { timeZone }),
  });
  const minuteOfDay = (at: number): number => {
    const [hour = "", minute = ""] = clockOf.format(at).split(":");
    return Number(hour) * 60 + Number(minute);
  };
  const first = Math.floor(now / QUARTER) * QUARTER;
  let before = minuteOfDay(first);
  for (let at = first + QUARTER; at <= first + days(2); at += QUARTER) {
    const minute = minuteOfDay(at);
    if (before < NIGHT && minute >= NIGHT) return at;
    before = minute;
  }
  return now + days(1);
}
