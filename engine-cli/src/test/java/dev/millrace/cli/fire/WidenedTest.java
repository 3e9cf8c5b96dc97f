package dev.millrace.cli.fire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.ir.Value;
import dev.millrace.graph.proto.ModelProto;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import dev.millrace.session.Inputs;
import dev.millrace.session.SessionOptions;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WidenedTest {
    private static final byte[] NO_WEIGHTS = ModelProto.getDefaultInstance().toByteArray();

    private static Tensor half(double value) {
        Tensor tensor = Tensor.allocate(ElementType.FLOAT16, Shape.of(1));
        Elements.setDouble(ElementType.FLOAT16, tensor.segment(), 0, value);
        return tensor;
    }

    private static boolean explains(float wide, double expected, double actual) {
        return new Widened((_, _) -> Tensor.copyOf(new float[] {wide}, 1))
                .explains(NO_WEIGHTS, Inputs.empty(), half(expected), half(actual));
    }

    @Test
    void anAnswerThatIsAsNearToThatOfFloatsIsAsRight() {
        assertThat(explains(0.0765f, 0.076, 0.077)).isTrue();
        assertThat(explains(0.0765f, 0.076, 0.0765)).isTrue();
        assertThat(explains(0.0765f, 0.0765, 0.077)).isFalse();
        assertThat(explains(0.0765f, 0.0762, 0.077)).isFalse();
    }

    @Test
    void whatIsNoNumberIsNeverExplained() {
        assertThat(explains(1, 1, Double.NaN)).isFalse();
        assertThat(explains(Float.NaN, 1, 2)).isFalse();
    }

    @Test
    void aModelThatDoesNotAnswerInFloatsExplainsNothing() {
        assertThat(new Widened((_, _) -> null).explains(NO_WEIGHTS, Inputs.empty(), half(1), half(2)))
                .isFalse();
    }

    @Test
    void answersOfFloatsThemselvesAreNotExplained() {
        Tensor one = Tensor.copyOf(new float[] {1}, 1);
        Tensor other = Tensor.copyOf(new float[] {1.01f}, 1);
        assertThat(new Widened((_, _) -> one).explains(NO_WEIGHTS, Inputs.empty(), one, other))
                .isFalse();
    }

    @Test
    void weightsInputsAndTypesOfAModelAreFloats() {
        Net net = Net.named("halves");
        Value x = net.input("x", ElementType.FLOAT16, 1);
        Net body = net.body("body");
        body.output(body.op("Cast", Map.of("to", ElementType.FLOAT16.code()), body.weights(1)));
        Value chosen =
                net.op("If", Map.of("then_branch", body, "else_branch", body), net.constant(Tensor.scalar(true)));
        byte[] model = net.output(net.op("Add", net.op("Add", x, net.constant(half(3))), chosen))
                .bytes();
        var widened = new Widened((wide, inputs) -> {
            Datum answer = answer(wide, inputs);
            assertThat(((Tensor) answer).type()).isEqualTo(ElementType.FLOAT);
            return answer;
        });
        Inputs inputs = Inputs.of("x", half(0.001));
        Datum plain = answer(model, inputs);
        assertThat(((Tensor) plain).type()).isEqualTo(ElementType.FLOAT16);
        assertThat(widened.explains(model, inputs, plain, plain)).isTrue();
        assertThat(widened.explains(model, inputs, plain, half(5))).isFalse();
    }

    private static Datum answer(byte[] model, Inputs inputs) {
        try (var engine = Engine.create(EngineOptions.builder().threads(1).build());
                var session = engine.session(model, SessionOptions.defaults())) {
            return session.run(inputs).asMap().values().iterator().next();
        }
    }
}
