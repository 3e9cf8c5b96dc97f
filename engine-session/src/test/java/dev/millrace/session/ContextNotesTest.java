package dev.millrace.session;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.format.Models;
import dev.millrace.graph.ir.Denotations;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Remarks;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueNotes;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.spi.EpContext;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests that a context model keeps its source's annotations. */
class ContextNotesTest extends CompiledTest {
    private static final byte[] TRAINING = {0x0a, 0x00};
    private static final ValueType ROW = ValueType.tensor(ElementType.FLOAT, Shape.of(1, 8));
    private static final Denotations LENGTH =
            Denotations.of("LENGTH", List.of("DATA_BATCH", "DATA_FEATURE"), Denotations.NONE);

    @Test
    void valuesThatAreLeftKeepWhatIsSaidOfThem() throws IOException {
        Files.write(source, Models.toBytes(model()));
        compile(options());
        Model written = Models.read(target);
        Graph graph = written.graph();
        assertThat(requireNonNull(graph.firstNode()).op()).isEqualTo(EpContext.OP);
        assertThat(graph.nodeCount()).isOne();
        ValueNotes ofInput = graph.inputs().getFirst().notes();
        ValueNotes ofOutput = graph.outputNotes().getFirst();
        assertThat(ofInput.value().metadata()).isEqualTo(Map.of("unit", "metre"));
        assertThat(ofOutput.value().metadata()).isEqualTo(Map.of("unit", "mile"));
        for (ValueNotes notes : List.of(ofInput, ofOutput)) {
            assertThat(notes.denotations()).isEqualTo(LENGTH);
            Value scale = requireNonNull(notes.quantisation().get("SCALE_TENSOR"));
            assertThat(requireNonNull(scale.constant()).floats()).containsExactly(0.5f);
        }
        assertThat(graph.constants()).hasSize(1);
        assertThat(written.training())
                .singleElement()
                .satisfies(message -> assertThat(message.mismatch(MemorySegment.ofArray(TRAINING)))
                        .isEqualTo(-1));
    }

    /** Returns the model y = -relu(x), with a scale that only annotations name. */
    private static Model model() {
        var editor = new GraphEditor(Graph.named("noted"));
        Value x = editor.addInput("x", ROW);
        Value inner = node(editor, "Relu", x, "inner");
        editor.addOutput("y", node(editor, "Neg", inner, "y"));
        var scale = Map.of("SCALE_TENSOR", editor.addConstant("scale", Tensor.scalar(0.5f)));
        editor.note(x, new ValueNotes(Remarks.of(Map.of("unit", "metre")), LENGTH, Remarks.NONE, scale));
        editor.note(inner, new ValueNotes(Remarks.of(Map.of("unit", "yard")), LENGTH, Remarks.NONE, scale));
        editor.noteOutput(0, new ValueNotes(Remarks.of(Map.of("unit", "mile")), LENGTH, Remarks.NONE, scale));
        return new Model(
                new Model.Header(10, "test", "1", "", 1, ""),
                Map.of(OpId.ONNX, TestModels.OPSET),
                Map.of(),
                Map.of(),
                editor.graph(),
                null,
                List.of(),
                List.of(),
                List.of(MemorySegment.ofArray(TRAINING)));
    }

    private static Value node(GraphEditor editor, String op, Value input, String output) {
        Value made = editor.append(NodeSpec.of(OpId.onnx(op), TestModels.OPSET, input), List.of(output))
                .requireOutput(0);
        editor.declare(made, ROW);
        return made;
    }
}
