import {
  isJSONRPCErrorResponse,
  isJSONRPCResultResponse,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type JSONRPCResultResponse,
  type RequestId,
  type Result,
  type ServerContext,
  type Transport,
} from "@modelcontextprotocol/server";

type Handler = (request: JSONRPCRequest, context: ServerContext) => Promise<Result>;

/** What 2025 clients know an unknown resource by; the SDK only ever says -32602. */
const NOT_FOUND_2025 = -32002;

/** The SDK's low-level instance, with three answers put right. */
export class ShellServer extends Server {
  readonly #notFound = new Set<RequestId>();
  /** Stands around every handler, the SDK's own included. Those are made before anybody can set this. */
  watch: ((run: Handler) => Handler) | undefined;

  /**
   * Params of the wrong shape are -32602, where the SDK says -32603 and shows its validator's text. Our own handlers
   * let nothing but protocol errors out, so whatever else arrives here was thrown before they ran.
   */
  protected override _wrapHandler(method: string, handler: Handler): Handler {
    const inner = super._wrapHandler(method, handler);
    const run: Handler = async (request, context) => {
      try {
        return await inner(request, context);
      } catch (fault) {
        if (fault instanceof ResourceNotFoundError && this.#serves2025()) this.#notFound.add(context.mcpReq.id);
        if (fault instanceof ProtocolError) throw fault;
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Invalid params for ${method}`);
      }
    };
    return (request, context) => (this.watch?.(run) ?? run)(request, context);
  }

  override async connect(transport: Transport): Promise<void> {
    const send = transport.send.bind(transport);
    transport.send = (message, options) => send(this.#putRight(message), options);
    await super.connect(transport);
  }

  #serves2025(): boolean {
    const version = this.getNegotiatedProtocolVersion();
    return version === undefined || version < "2026";
  }

  #putRight(message: JSONRPCMessage): JSONRPCMessage {
    if (isJSONRPCResultResponse(message)) return withoutStrayContent(message);
    // The SDK's 2025 encoder turns -32002 into -32602 on its way out, so it is put back behind the encoder.
    if (this.#notFound.size === 0 || !isJSONRPCErrorResponse(message) || message.id === undefined) return message;
    if (!this.#notFound.delete(message.id)) return message;
    return { ...message, error: { ...message.error, code: NOT_FOUND_2025 } };
  }
}

/** A call that was answered with a task has no content yet; the SDK adds an empty one. */
function withoutStrayContent(message: JSONRPCResultResponse): JSONRPCMessage {
  if (message.result["resultType"] !== "task") return message;
  const { content: _, ...result } = message.result;
  return { ...message, result };
}
