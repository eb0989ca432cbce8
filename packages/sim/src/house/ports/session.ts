/** One host at one port. */
export interface Session {
  readonly name: string;
  receive(bytes: Iterable<number>): void;
  close(): void;
}

export type SessionOutput = (bytes: readonly number[]) => void;
