package dev.millrace.bench.reference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.onnxruntime.OrtException;
import dev.millrace.bench.kernels.ReferenceModel;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.graph.tensor.TensorSequence;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("reference")
class OnnxRuntimeSessionTest {
    @TempDir
    private Path folder;

    /** Returns a datum after ONNX Runtime's {@code Identity}. */
    private Datum passed(Datum datum, ValueType type) throws IOException, OrtException {
        var model = new ReferenceModel();
        Value x = model.input("x", type);
        model.output("y", model.node("Identity", x));
        Path file = Files.write(folder.resolve("identity.onnx"), model.bytes());
        try (OnnxRuntimeSession session = new OnnxRuntimeSession.Runtime().session(file, 1)) {
            Map<String, Datum> answers = session.run(Map.of("x", datum));
            assertThat(answers).containsOnlyKeys("y");
            return answers.values().iterator().next();
        }
    }

    @Test
    void numbersOfEveryWidthGoThereAndBack() throws Exception {
        for (ElementType type : new ElementType[] {
            ElementType.FLOAT,
            ElementType.DOUBLE,
            ElementType.FLOAT16,
            ElementType.BFLOAT16,
            ElementType.UINT8,
            ElementType.UINT16,
            ElementType.UINT32,
            ElementType.UINT64,
            ElementType.INT8,
            ElementType.INT64,
            ElementType.BOOL,
            ElementType.FLOAT8E4M3FN
        }) {
            Tensor tensor = Tensor.allocate(type, Shape.of(2, 3));
            tensor.segment().fill((byte) 1);
            Tensor got = (Tensor) passed(tensor, ValueType.tensor(type, tensor.shape()));
            assertThat(got.type()).isEqualTo(type);
            assertThat(got.shape()).isEqualTo(tensor.shape());
            assertThat(got.segment().mismatch(tensor.segment())).as("%s", type).isEqualTo(-1);
        }
    }

    @Test
    void stringsAndSequencesGoThereAndBack() throws Exception {
        Tensor words = Tensor.ofStrings(Shape.of(3), "a", "", "Straße");
        var type = ValueType.tensor(ElementType.STRING, words.shape());
        assertThat(((Tensor) passed(words, type)).strings()).containsExactly("a", "", "Straße");
        var sequence = TensorSequence.of(Tensor.copyOf(new float[] {1, 2}, 2), Tensor.copyOf(new float[] {3}, 1));
        var got = (TensorSequence) passed(sequence, new ValueType.SequenceType(ValueType.tensor(ElementType.FLOAT)));
        assertThat(got.elements()).hasSize(2);
        assertThat(((Tensor) got.elements().get(1)).floats()).containsExactly(3);
    }

    @Test
    void whatHasNoElementsAndWhatHasNoAxesGoThereAndBack() throws Exception {
        for (Shape shape : new Shape[] {Shape.of(0, 3), Shape.SCALAR}) {
            Tensor tensor = Tensor.allocate(ElementType.FLOAT, shape);
            assertThat(((Tensor) passed(tensor, ValueType.tensor(ElementType.FLOAT, shape))).shape())
                    .isEqualTo(shape);
        }
    }

    @Test
    void whatItRefusesItSays() throws Exception {
        Path file = Files.writeString(folder.resolve("broken.onnx"), "no model");
        var runtime = new OnnxRuntimeSession.Runtime();
        assertThatThrownBy(() -> runtime.session(file, 1))
                .isInstanceOf(OrtException.class)
                .hasMessageContaining("broken.onnx");
        assertThatThrownBy(
                        () -> passed(Tensor.copyOf(new float[2], 2), ValueType.tensor(ElementType.FLOAT, Shape.of(3))))
                .isInstanceOf(OrtException.class)
                .hasMessageContaining("invalid dimensions");
    }
}
