/** What a client says when it connects to the shared MQTT port. */
export interface MqttConnect {
  readonly clientId: string;
  readonly username: string | undefined;
  readonly password: Uint8Array | undefined;
  readonly protocolVersion: 3 | 4 | 5;
  readonly userProperties: Readonly<Record<string, string | readonly string[]>>;
  readonly remoteAddress: string;
}

export interface MqttMessage {
  readonly topic: string;
  readonly payload: Uint8Array;
  readonly qos: 0 | 1 | 2;
  readonly retain: boolean;
}

export interface MqttClient {
  readonly clientId: string;
  publish(message: MqttMessage): Promise<void>;
  disconnect(reasonCode?: number): void;
}

export interface MqttHandlers {
  /** May it publish there, or subscribe to that filter? */
  mayPublish(topic: string): boolean;
  maySubscribe(filter: string): boolean;
  /** Resolves once the part has taken the message; only then is QoS 1 acknowledged. */
  message(message: MqttMessage): Promise<void>;
  /** Called exactly once, however it ended. */
  closed(): void;
}

/** Clients and topics that a part wants on the MQTT port, which the server owns. */
export interface MqttClaim {
  readonly name: string;
  /** Is this client one of ours? The first claim that says so, in the order of the parts, has it. */
  claims(connect: MqttConnect): boolean;
  /** Topics that this part serves; two claims may not overlap. */
  readonly topics: readonly string[];
  /** Undefined refuses the client: not authorised. */
  open(connect: MqttConnect, client: MqttClient): Promise<MqttHandlers | undefined>;
}
