import { millis, type Cancel, type Clock, type Duration } from "@steading/kernel";
import type { Link } from "./link.ts";

/** For further lines once one has come: the daemon writes an answer in one go. */
const MORE_WAIT = millis(150);
/** The daemon itself waits for the bus; less would call it silent too soon. */
const LEAST_WAIT = millis(400);
const LONGEST_ANSWER = 65_536;

export interface EbusdSession {
  /** One command line, and the lines of its answer without the empty one that ends it. Empty when none came in time. */
  ask(line: string, wait: Duration): Promise<readonly string[]>;
  /** The link has ended; whatever was under way came to nothing. */
  readonly over: boolean;
  /** Ends the question under way and the link. */
  close(): void;
}

/** Lines of text to and from ebusd. Answers carry no id, so one that is late ends the link: it would answer the next. */
export function createEbusdSession({ link, clock }: { readonly link: Link; readonly clock: Clock }): EbusdSession {
  let unread = "";
  let asked: { readonly lines: string[]; finish(whole: boolean): void; more(): void } | undefined;
  let over = false;

  function end(): void {
    over = true;
    asked?.finish(false);
    link.close();
  }

  link.onPiece((piece) => {
    unread += Buffer.from(piece).toString("latin1");
    if (unread.length > LONGEST_ANSWER) return end();
    for (let at = unread.indexOf("\n"); at >= 0; at = unread.indexOf("\n")) {
      const line = unread.slice(0, at).replace(/\r$/, "");
      unread = unread.slice(at + 1);
      if (line === "") asked?.finish(true);
      else if (asked) {
        asked.lines.push(line);
        asked.more();
      }
    }
  });

  return {
    ask(line, wait) {
      if (over || asked) return Promise.resolve([]);
      return new Promise((resolve) => {
        const lines: string[] = [];
        let timer: Cancel = clock.timer(millis(Math.max(wait, LEAST_WAIT)), () => finish(false));
        const finish = (whole: boolean): void => {
          timer();
          asked = undefined;
          resolve(lines);
          if (!whole && !over) end();
        };
        const more = (): void => {
          timer();
          timer = clock.timer(MORE_WAIT, () => finish(false));
        };
        asked = { lines, finish, more };
        link.write(Buffer.from(line, "latin1"));
      });
    },
    get over() {
      return over;
    },
    close: end,
  };
}
