package dev.millrace.session.operators;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** An LSTM that looks at a memory after each step, against ONNX Runtime. */
@Tag("reference")
class AttentiveLstmTest {
    private static final int STEPS = 5;
    private static final int BATCH = 3;
    private static final int INPUTS = 4;
    private static final int UNITS = 6;
    private static final int PLACES = 7;
    private static final int DEPTH = 5;
    private static final int WIDTH = 3;
    private static final int SEEN = 2;

    @AutoClose
    private final Engine engine =
            Engine.create(EngineOptions.builder().threads(1).build());

    private final Draw draw = new Draw(91);

    private static Tensor lengths(int... values) {
        return Tensor.copyOf(values, values.length);
    }

    private OneOperator layer(
            String direction,
            boolean projected,
            @Nullable Tensor lengths,
            @Nullable Tensor memoryLengths,
            boolean states) {
        long d = direction.equals("bidirectional") ? 2 : 1;
        int seen = projected ? SEEN : DEPTH;
        OneOperator layer = OneOperator.contributed("AttnLSTM")
                .with("hidden_size", UNITS)
                .with("direction", direction)
                .outputs(3)
                .on(draw.floats(STEPS, BATCH, INPUTS))
                .holding(draw.floats(d, 4 * UNITS, INPUTS + seen), draw.floats(d, 4 * UNITS, UNITS))
                .on(states ? draw.floats(d, 8 * UNITS) : null, lengths)
                .on(states ? draw.floats(d, BATCH, UNITS) : null, states ? draw.floats(d, BATCH, UNITS) : null)
                .on(states ? draw.floats(d, 3 * UNITS) : null)
                .holding(draw.floats(d, UNITS, WIDTH), draw.floats(d, DEPTH, WIDTH), draw.floats(d, WIDTH))
                .on(draw.floats(BATCH, PLACES, DEPTH));
        if (memoryLengths != null || projected) {
            layer.on(memoryLengths);
        }
        return projected ? layer.holding(draw.floats(d, DEPTH + UNITS, SEEN)) : layer;
    }

    @ParameterizedTest
    @CsvSource({"forward, true", "forward, false", "reverse, true", "bidirectional, true", "bidirectional, false"})
    void eachStepSeesWhatTheOneBeforeItFound(String direction, boolean projected) throws Exception {
        layer(direction, projected, null, null, false).agrees(engine, 1e-5);
        layer(direction, projected, null, lengths(7, 1, 4), true).agrees(engine, 1e-5);
        layer(direction, projected, lengths(5, 2, 3), lengths(2, 7, 5), true).agrees(engine, 1e-5);
    }

    @ParameterizedTest
    @ValueSource(strings = {"forward", "reverse", "bidirectional"})
    void sequencesMayAllEndEarly(String direction) throws Exception {
        layer(direction, true, lengths(1, 3, 2), null, false).agrees(engine, 1e-5);
    }

    @Test
    void eachDirectionHasItsActivations() throws Exception {
        String[] names = {"HardSigmoid", "Tanh", "Relu", "Sigmoid", "LeakyRelu", "ScaledTanh"};
        List<Attribute.Bytes> texts = List.of(names).stream()
                .map(Attribute::of)
                .map(Attribute.Bytes.class::cast)
                .toList();
        layer("bidirectional", true, lengths(5, 2, 3), null, true)
                .with("activations", new Attribute.Strings(texts))
                .reals("activation_alpha", 0.3f, 0.05f, 0.9f)
                .reals("activation_beta", 0.4f, 0.8f)
                .with("input_forget", 1)
                .agrees(engine, 1e-5);
    }
}
