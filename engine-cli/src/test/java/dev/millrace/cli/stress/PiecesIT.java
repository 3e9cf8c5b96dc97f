package dev.millrace.cli.stress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.conformance.TensorComparison;
import dev.millrace.cli.conformance.Tolerance;
import dev.millrace.cli.fire.Net;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import dev.millrace.session.Inputs;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tests that values so large that they are processed in pieces are the same for both providers,
 * which cut them at different places.
 */
@Tag("slow")
class PiecesIT {
    private static final int MANY = 9_000_001;

    @Test
    void numbersOneByOne() {
        agrees(net -> net.op("Cast", Map.of("to", ElementType.INT32.code()), net.floats("x", MANY)));
        agrees(net -> net.op("Mul", net.op("Sqrt", net.op("Abs", net.floats("x", MANY))), net.floats("y", MANY)));
        agrees(net -> net.op("Add", net.floats("x", 3001, 1), net.floats("y", 1, 3001)));
        agrees(net -> net.op("QuantizeLinear", net.floats("x", MANY), net.constant(Tensor.scalar(0.1f))));
        agrees(net -> net.ops("DynamicQuantizeLinear", 3, Map.of(), net.floats("x", MANY))
                .getFirst());
    }

    @Test
    void rowsAndColumns() {
        agrees(net -> net.op("Transpose", net.floats("x", 3001, 3003)));
        agrees(net -> net.op("ReduceMax", net.floats("x", 3, 3_000_001), net.longs(1)));
        agrees(net -> net.op("ReduceMean", net.floats("x", 3001, 3003), net.longs(0)));
        agrees(net -> net.op("Softmax", Map.of("axis", -1), net.floats("x", 90_001, 100)));
        agrees(net -> net.op("ArgMax", Map.of("axis", 1), net.floats("x", 90_001, 100)));
        agrees(net -> net.op("LayerNormalization", net.floats("x", 90_001, 100), net.weights(100), net.weights(100)));
    }

    @Test
    void chosenOnes() {
        agrees(net -> net.op("GatherElements", net.floats("x", MANY), net.input("i", ElementType.INT64, MANY / 2)));
        agrees(net -> net.op("Gather", net.floats("x", 1 << 22, 3), net.input("i", ElementType.INT64, MANY / 3)));
        agrees(net -> net.op(
                "ScatterElements",
                Map.of("reduction", "max"),
                net.floats("x", MANY),
                net.input("i", ElementType.INT64, MANY / 2),
                net.floats("u", MANY / 2)));
        agrees(net -> net.op(
                "ScatterND",
                Map.of("reduction", "max"),
                net.floats("x", 1 << 22, 3),
                net.input("i", ElementType.INT64, MANY / 3, 1),
                net.floats("u", MANY / 3, 3)));
        agrees(net ->
                net.op("Compress", net.floats("x", MANY), net.op("Greater", net.floats("y", MANY), net.weights(1))));
        agrees(net -> net.op("NonZero", net.op("Greater", net.floats("y", MANY), net.weights(1))));
    }

    @Test
    void theBestOfMany() {
        agrees(net -> net.ops("TopK", 2, Map.of("axis", 0), net.floats("x", 20_001), net.longs(9_001))
                .getFirst());
        agrees(net -> net.ops("TopK", 2, Map.of("axis", 0), net.floats("x", 20_001), net.longs(9_001))
                .getLast());
        agrees(net -> net.ops("TopK", 2, Map.of("axis", 0), net.floats("x", 9_001, 5), net.longs(8_192))
                .getLast());
    }

    private static void agrees(Function<Net, Value> node) {
        Net net = Net.named("large");
        byte[] model = net.output(node.apply(net)).bytes();
        SessionOptions cpu = SessionOptions.builder().provider("cpu").build();
        try (Engine engine = Engine.create(EngineOptions.builder().threads(1).build());
                Session mine = engine.session(model, SessionOptions.defaults());
                Session plain = engine.session(model, cpu)) {
            Inputs inputs = RepeatedInputs.of(mine.inputs());
            try (var actual = mine.run(inputs);
                    var expected = plain.run(inputs)) {
                assertThat(new TensorComparison(Tolerance.STANDARD).difference(expected.get(0), actual.get(0)))
                        .isNull();
            }
        }
    }
}
