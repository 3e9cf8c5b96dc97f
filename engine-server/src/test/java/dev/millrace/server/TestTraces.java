package dev.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.handler.DefaultTracingObservationHandler;
import io.micrometer.tracing.handler.PropagatingReceiverTracingObservationHandler;
import io.micrometer.tracing.otel.bridge.OtelCurrentTraceContext;
import io.micrometer.tracing.otel.bridge.OtelPropagator;
import io.micrometer.tracing.otel.bridge.OtelTracer;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A registry whose observations become spans of OpenTelemetry, which are kept. */
final class TestTraces implements AutoCloseable {
    static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
    static final String PARENT = "b7ad6b7169203331";
    /** The header of a caller's span, which is sampled. */
    static final String HEADER = "00-" + TRACE + "-" + PARENT + "-01";

    private final InMemorySpanExporter spans = InMemorySpanExporter.create();
    private final SdkTracerProvider provider = SdkTracerProvider.builder()
            .addSpanProcessor(SimpleSpanProcessor.create(spans))
            .build();
    private final ObservationRegistry registry = ObservationRegistry.create();

    TestTraces() {
        var tracer = provider.get("test");
        var bridge = new OtelTracer(tracer, new OtelCurrentTraceContext(), _ -> {});
        var propagator = new OtelPropagator(ContextPropagators.create(W3CTraceContextPropagator.getInstance()), tracer);
        registry.observationConfig()
                .observationHandler(new ObservationHandler.FirstMatchingCompositeObservationHandler(
                        new PropagatingReceiverTracingObservationHandler<>(bridge, propagator),
                        new DefaultTracingObservationHandler(bridge)));
    }

    ObservationRegistry registry() {
        return registry;
    }

    /** Waits for so many spans: an answer may reach its client before the span of its request ends. */
    List<SpanData> await(int count) {
        for (int i = 0; i < 1000 && spans.getFinishedSpanItems().size() < count; i++) {
            try {
                TimeUnit.MILLISECONDS.sleep(10);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
        assertThat(spans.getFinishedSpanItems()).hasSize(count);
        return spans.getFinishedSpanItems();
    }

    void clear() {
        spans.reset();
    }

    static SpanData named(List<SpanData> spans, String name) {
        return spans.stream()
                .filter(each -> each.getName().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no span '" + name + "' among "
                        + spans.stream().map(SpanData::getName).toList()));
    }

    static String attribute(SpanData span, String key) {
        return String.valueOf(span.getAttributes().get(AttributeKey.stringKey(key)));
    }

    @Override
    public void close() {
        provider.close();
    }
}
