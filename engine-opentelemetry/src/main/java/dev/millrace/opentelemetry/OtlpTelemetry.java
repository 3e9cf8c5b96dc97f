package dev.millrace.opentelemetry;

import dev.millrace.server.ServerTelemetry;
import io.micrometer.observation.ObservationHandler.FirstMatchingCompositeObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.handler.DefaultTracingObservationHandler;
import io.micrometer.tracing.handler.PropagatingReceiverTracingObservationHandler;
import io.micrometer.tracing.otel.bridge.OtelCurrentTraceContext;
import io.micrometer.tracing.otel.bridge.OtelPropagator;
import io.micrometer.tracing.otel.bridge.OtelTracer;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk;
import java.util.Map;

/**
 * Observations as spans of OpenTelemetry's SDK, which OpenTelemetry's variables and system properties configure. Without any,
 * spans go to a collector at port 4318 of this machine, by HTTP.
 */
public final class OtlpTelemetry implements ServerTelemetry {
    /** The server has metrics of its own for Prometheus, and logs go where the process sends them. */
    private static final Map<String, String> DEFAULTS = Map.of(
            "otel.service.name", "millrace",
            "otel.exporter.otlp.protocol", "http/protobuf",
            "otel.metrics.exporter", "none",
            "otel.logs.exporter", "none");

    private final OpenTelemetrySdk sdk;
    private final ObservationRegistry registry = ObservationRegistry.create();

    /** Reads the configuration and begins to export. */
    public OtlpTelemetry() {
        sdk = AutoConfiguredOpenTelemetrySdk.builder()
                .addPropertiesSupplier(() -> DEFAULTS)
                .disableShutdownHook()
                .build()
                .getOpenTelemetrySdk();
        var tracer = sdk.getTracer("dev.millrace.server");
        var bridge = new OtelTracer(tracer, new OtelCurrentTraceContext(), _ -> {});
        registry.observationConfig()
                .observationHandler(new FirstMatchingCompositeObservationHandler(
                        new PropagatingReceiverTracingObservationHandler<>(
                                bridge, new OtelPropagator(sdk.getPropagators(), tracer)),
                        new DefaultTracingObservationHandler(bridge)));
    }

    @Override
    public ObservationRegistry registry() {
        return registry;
    }

    @Override
    public void close() {
        sdk.close();
    }
}
