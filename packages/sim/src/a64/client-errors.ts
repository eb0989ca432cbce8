/** The hub answered with 400 or above, which the client takes for a failure whatever the number. */
export class A64StatusError extends Error {
  readonly status: number;
  readonly body: string;
  constructor({ what, status, body }: { readonly what: string; readonly status: number; readonly body: string }) {
    super(`${what} was answered ${status}: ${body.slice(0, 200)}`);
    this.status = status;
    this.body = body;
  }
}

/** No whole answer came: nobody listens, the line broke, or the time ran out. */
export class A64TransportError extends Error {
  readonly kind: "connect" | "read" | "timeout";
  constructor(kind: A64TransportError["kind"], message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}
