const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const TIME = /^(\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})?$/;
const DURATION =
  /^[+-]?P(?=\d|T\d)(?:\d+(?:\.\d+)?Y)?(?:\d+(?:\.\d+)?M)?(?:\d+(?:\.\d+)?W)?(?:\d+(?:\.\d+)?D)?(?:T(?=\d)(?:\d+(?:\.\d+)?H)?(?:\d+(?:\.\d+)?M)?(?:\d+(?:\.\d+)?S)?)?$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** No ISO text is longer; expressions are never run over more. */
const MAX_CHARS = 100;

export function isDate(text: string): boolean {
  const match = text.length <= MAX_CHARS ? DATE.exec(text) : null;
  if (match === null) return false;
  const [year = 0, month = 0, day = 0] = match.slice(1).map(Number);
  // Day 0 of the following month is the last day of this one.
  return month >= 1 && month <= 12 && day >= 1 && day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}

export function isClockTime(text: string): boolean {
  const match = text.length <= MAX_CHARS ? TIME.exec(text) : null;
  if (match === null) return false;
  const [hour = 0, minute = 0, second = 0] = match.slice(1).map((part) => Number(part ?? 0));
  return hour <= 23 && minute <= 59 && second <= 60; // 60: a leap second is a legal ISO time
}

export function isDateTime(text: string): boolean {
  const at = text.search(/[Tt ]/);
  return at === 10 && isDate(text.slice(0, 10)) && isClockTime(text.slice(11));
}

export function isDuration(text: string): boolean {
  return text.length <= MAX_CHARS && DURATION.test(text);
}

export function isUuid(text: string): boolean {
  return text.length === 36 && UUID.test(text);
}
