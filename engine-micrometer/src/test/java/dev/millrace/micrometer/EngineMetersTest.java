package dev.millrace.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import dev.millrace.session.Inputs;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class EngineMetersTest {
    private static byte[] relu() {
        var editor = new GraphEditor(Graph.named("relu"));
        var x = editor.addInput("x", ValueType.tensor(ElementType.FLOAT, SymbolicShape.of(Dim.of(2))));
        editor.addOutput(
                "y", editor.append(NodeSpec.of(OpId.RELU, 21, x), List.of("y")).requireOutput(0));
        var header = new Model.Header(10, "", "", "", 1, "");
        return Models.toBytes(new Model(header, Map.of(OpId.ONNX, 21), Map.of(), Map.of(), editor.graph(), null));
    }

    @Test
    void requestsAreMeteredBySessionAndOutcome() {
        var registry = new SimpleMeterRegistry();
        var meters = new EngineMeters(registry, Tag.of("host", "one"));
        try (Engine engine = Engine.create(EngineOptions.defaults().withRequestListener(meters));
                Session session = engine.session(
                        relu(), SessionOptions.builder().name("relu of two").build())) {
            meters.watch(session);
            for (int i = 0; i < 3; i++) {
                session.run(Inputs.of("x", -1f, 1f)).close();
            }
            session.mono(Inputs.of("x", -1f, 1f)).blockOptional().orElseThrow().close();
            assertThatThrownBy(() -> session.run(Inputs.empty())).isInstanceOf(EngineException.class);
            var answered = registry.get("millrace.requests")
                    .tags("session", "relu of two", "outcome", "OK", "host", "one")
                    .timer();
            assertThat(answered.count()).isEqualTo(4);
            assertThat(answered.totalTime(TimeUnit.NANOSECONDS)).isPositive();
            assertThat(registry.get("millrace.requests")
                            .tag("outcome", "INVALID_ARGUMENT")
                            .timer()
                            .count())
                    .isEqualTo(1);
            assertThat(registry.get("millrace.queue").timer().count()).isEqualTo(5);
            assertThat(registry.get("millrace.waiting").gauge().value()).isZero();
        }
    }
}
