import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import {
  BatchSpanProcessor,
  NodeTracerProvider,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  type NodeTracerConfig,
  type SpanExporter,
} from "@opentelemetry/sdk-trace-node";
import type { Log } from "@steading/kernel";
import type { OtlpSettings } from "../settings/settings-schema.ts";
import type { Telemetry } from "./telemetry.ts";

/** Spans that wait for the collector; what comes on top is dropped rather than kept in memory. */
const MOST_WAITING = 2_048;
const MOST_TOGETHER = 512;
/** A collector that does not answer must not hold up the end of a hub for longer. */
const LAST_WAIT_MS = 3_000;

/**
 * Sends spans to an OpenTelemetry collector over HTTP. The tracer is handed on, never made global: what is not given it
 * traces nothing, and two hubs in one process do not meet in it. Credentials of the collector come from its own environment
 * variable, OTEL_EXPORTER_OTLP_HEADERS, and never from the settings.
 */
export function startTelemetry({
  otlp,
  version,
  log,
}: {
  readonly otlp: OtlpSettings;
  readonly version: string;
  readonly log: Log;
}): Telemetry {
  const counters = { exported: 0, failed: 0 };
  const exporter = new OTLPTraceExporter({ url: otlp.endpoint, timeoutMillis: LAST_WAIT_MS });
  const provider = new NodeTracerProvider({
    resource: resourceOf({ "service.name": "steading", "service.version": version }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(otlp.sample) }),
    spanProcessors: [
      new BatchSpanProcessor(counting(exporter, counters, log), {
        maxQueueSize: MOST_WAITING,
        maxExportBatchSize: MOST_TOGETHER,
        exportTimeoutMillis: LAST_WAIT_MS,
      }),
    ],
    forceFlushTimeoutMillis: LAST_WAIT_MS,
  });
  log.info("Spans are sent to a collector.", { endpoint: withoutUser(otlp.endpoint), sample: otlp.sample });
  let stopping: Promise<void> | undefined;
  return {
    tracer: provider.getTracer("steading", version),
    counters,
    stop() {
      stopping ??= provider
        .shutdown()
        .catch((error: unknown) => log.warn("The last spans did not reach the collector.", { reason: String(error) }));
      return stopping;
    },
  };
}

/** Says once that the collector is away and once that it is back; the numbers between are in the metrics. */
function counting(exporter: SpanExporter, counters: { exported: number; failed: number }, log: Log): SpanExporter {
  let failing = false;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const failed = result.error !== undefined || result.code !== 0;
        counters[failed ? "failed" : "exported"] += spans.length;
        if (failed && !failing) log.warn("The collector does not take spans.", { reason: result.error?.message ?? "" });
        if (!failed && failing) log.info("The collector takes spans again.", { failed: counters.failed });
        failing = failed;
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}

type Resource = NonNullable<NodeTracerConfig["resource"]>;

/** Who sends. Without the detectors of the SDK, which look the machine over and would tell strangers about it. */
function resourceOf(attributes: Readonly<Record<string, string>>): Resource {
  return {
    attributes,
    merge: (other) =>
      other === null ? resourceOf(attributes) : { ...other, attributes: { ...attributes, ...other.attributes } },
    getRawAttributes: () => Object.entries(attributes),
  };
}

/** The address without a name and a password that somebody may have written into it. */
function withoutUser(endpoint: string): string {
  const { origin, pathname } = new URL(endpoint);
  return `${origin}${pathname}`;
}
