package dev.millrace.graph.infer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The shapes and contents that are assumed for inputs before the first run. */
class NominalInputsTest {
    private static final int OPSET = 18;

    private final GraphEditor editor = new GraphEditor(Graph.named("nominal"));

    private Value input(String name, ElementType type, Dim... dims) {
        return editor.addInput(name, ValueType.tensor(type, SymbolicShape.of(dims)));
    }

    private Value op(String op, Value... inputs) {
        return editor.append(NodeSpec.of(OpId.onnx(op), OPSET, inputs), List.of(op + inputs[0].name()))
                .requireOutput(0);
    }

    @Test
    void textsAreShortAndImagesAreNot() {
        input("ids", ElementType.INT64, Dim.symbol("batch"), Dim.symbol("sequence"));

        assertThat(NominalShapes.of(editor.graph()).getFirst()).containsExactly(Shape.of(1, 16));

        input("image", ElementType.FLOAT, Dim.symbol("batch"), Dim.of(3), Dim.symbol("height"), Dim.symbol("width"));
        assertThat(NominalShapes.of(editor.graph()).getFirst())
                .containsExactly(Shape.of(1, 224), Shape.of(1, 3, 224, 224));
    }

    @Test
    void rowsOfNumbersAreSoundsOfASecondAndStatesAreOfOneSequence() {
        input("samples", ElementType.FLOAT, Dim.symbol("rows"), Dim.symbol("count"));
        input("state", ElementType.FLOAT, Dim.of(2), Dim.symbol("sequences"), Dim.of(128));

        assertThat(NominalShapes.of(editor.graph()).getFirst())
                .containsExactly(Shape.of(1, 16_000), Shape.of(2, 1, 128));
    }

    @Test
    void rowsOfAKnownLengthAreNoSounds() {
        input("features", ElementType.FLOAT, Dim.symbol("batch"), Dim.of(30));
        input("ids", ElementType.INT64, Dim.symbol("batch"), Dim.symbol("sequence"));

        assertThat(NominalShapes.of(editor.graph()).getFirst()).containsExactly(Shape.of(1, 30), Shape.of(1, 16));
    }

    @Test
    void manyFreeExtentsAreSmall() {
        Dim[] dims = new Dim[8];
        for (int i = 0; i < dims.length; i++) {
            dims[i] = Dim.symbol("d" + i);
        }
        input("many", ElementType.FLOAT, dims);
        assertThat(NominalShapes.of(editor.graph())).containsExactly(List.of(Shape.of(1, 16, 16, 16, 16, 16, 16, 16)));

        input("more", ElementType.FLOAT, Dim.symbol("d"), Dim.of(Long.MAX_VALUE), Dim.symbol("e"));
        assertThat(NominalShapes.of(editor.graph())).isEmpty();
    }

    @Test
    void aNumberIsTakenForWhatItIsComparedWith() {
        Value rate = input("rate", ElementType.INT64);
        Value other = input("other", ElementType.INT64, Dim.of(1));
        op("Equal", op("Squeeze", rate), editor.addConstant("known", Tensor.scalar(16_000L)));
        op("Add", other, editor.addConstant("more", Tensor.scalar(5L)));

        var contents = NominalContents.of(editor.graph(), List.of(Shape.SCALAR, Shape.of(1)));

        assertThat(contents).singleElement().satisfies(only -> {
            assertThat(only).containsOnlyKeys(0);
            assertThat(only.values()).singleElement().satisfies(number -> {
                assertThat(number.longs()).containsExactly(16_000);
                assertThat(number.shape()).isEqualTo(Shape.SCALAR);
            });
        });
    }

    @Test
    void aSwitchIsOffAndOnAndLongerInputsAreNotGuessed() {
        input("cached", ElementType.BOOL, Dim.of(1));
        Value ids = input("ids", ElementType.INT64, Dim.of(4));
        op("Equal", ids, editor.addConstant("padding", Tensor.scalar(0L)));

        var contents = NominalContents.of(editor.graph(), List.of(Shape.of(1), Shape.of(4)));

        assertThat(contents).allSatisfy(each -> assertThat(each).containsOnlyKeys(0));
        assertThat(contents.stream().flatMap(each -> each.values().stream()).map(Tensor::booleans))
                .containsExactly(new boolean[] {false}, new boolean[] {true});
    }
}
