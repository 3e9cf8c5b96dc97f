package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.format.Models;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.prepare.SharedConstants;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

final class SharedConstantsTest {
    private static final int MANY = 1 << 16;

    private final SharedConstants shared = new SharedConstants();

    private static Tensor filled(float value, long... dims) {
        var values = new float[MANY];
        Arrays.fill(values, value);
        return Tensor.copyOf(values, dims);
    }

    @Test
    void equalOnesAreOne() {
        Tensor first = shared.of(filled(1, MANY), this);
        assertThat(shared.of(filled(1, MANY), this)).isSameAs(first);
    }

    @Test
    void othersAreNot() {
        Tensor first = shared.of(filled(1, MANY), this);
        assertThat(shared.of(filled(2, MANY), this)).isNotSameAs(first);
        assertThat(shared.of(filled(1, 2, MANY / 2), this)).isNotSameAs(first);
        var differsInOne = new float[MANY];
        Arrays.fill(differsInOne, 1);
        differsInOne[MANY / 3] = 2;
        Tensor other = Tensor.copyOf(differsInOne, MANY);
        assertThat(shared.of(other, this)).isSameAs(other);
    }

    /** A caller may do with outputs what he likes, also where they were known before the run. */
    @Test
    void whatACallerWritesIntoAnOutputNobodyElseReads() {
        var editor = new GraphEditor(Graph.named("filled"));
        Value shape = editor.addConstant("shape", Tensor.copyOf(new long[] {MANY}, 1));
        Value filled = editor.append(NodeSpec.of(OpId.onnx("ConstantOfShape"), TestModels.OPSET, shape), List.of("y"))
                .requireOutput(0);
        editor.addOutput("y", filled);
        byte[] model = Models.toBytes(TestModels.model(editor.graph()));
        try (Engine engine = Engine.create();
                Session one = engine.session(model, SessionOptions.defaults());
                Session other = engine.session(model, SessionOptions.defaults())) {
            try (Outputs outputs = one.run(Inputs.empty())) {
                outputs.get("y").segment().fill((byte) 1);
            }
            for (Session session : List.of(one, other)) {
                try (Outputs outputs = session.run(Inputs.empty())) {
                    assertThat(outputs.get("y").floats()).containsOnly(0);
                }
            }
        }
    }

    @Test
    void smallOnesStayByThemselves() {
        Tensor small = Tensor.copyOf(new float[] {1}, 1);
        shared.of(small, this);
        Tensor same = Tensor.copyOf(new float[] {1}, 1);
        assertThat(shared.of(same, this)).isSameAs(same);
    }

    @Test
    void whatItsMakerAloneHasSeenIsTakenBackAndGivenToNobody() {
        Tensor first = shared.of(filled(1, MANY), this);
        shared.of(filled(1, MANY), this);

        assertThat(shared.takeBack(first, this)).isTrue();
        assertThat(shared.takeBack(first, this)).isFalse();
        assertThat(shared.of(filled(1, MANY), "another")).isNotSameAs(first);
    }

    @Test
    void whatSomebodyElseHasSeenStays() {
        Tensor first = shared.of(filled(1, MANY), this);
        shared.of(filled(1, MANY), "another");

        assertThat(shared.takeBack(first, this)).isFalse();
        assertThat(shared.takeBack(first, "another")).isFalse();
    }
}
