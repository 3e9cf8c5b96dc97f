package dev.millrace.onnxruntime.both;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.onnxruntime.OnnxMap;
import ai.onnxruntime.OnnxSequence;
import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OnnxValue;
import ai.onnxruntime.OnnxValue.OnnxValueType;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import dev.millrace.graph.tensor.ElementType;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Values: tensors, sequences and maps, and what is left of them when they are closed. */
@Tag("reference")
class ClosingTest {
    private final OrtEnvironment environment = OrtEnvironment.getEnvironment();

    @Test
    void aClosedTensorRefusesAccess() throws OrtException {
        OnnxTensor tensor = OnnxTensor.createTensor(environment, new float[] {1, 2});
        assertThat(tensor.isClosed()).isFalse();
        tensor.close();
        tensor.close();
        assertThat(tensor.isClosed()).isTrue();
        assertThatThrownBy(tensor::getValue).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(tensor::getByteBuffer).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(tensor::getFloatBuffer).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(tensor::getDoubleBuffer).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(tensor::getShortBuffer).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(tensor::getIntBuffer).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(tensor::getLongBuffer).isInstanceOf(IllegalStateException.class);
        assertThat(tensor.getInfo().getShape()).containsExactly(2);
        assertThat(tensor.getType()).isEqualTo(OnnxValueType.ONNX_TYPE_TENSOR);
        assertThat(tensor.getBufferRef()).isPresent();
        assertThat(tensor.toString()).endsWith("closed=true)");
    }

    @Test
    void manyValuesCloseAtOnce() throws OrtException {
        OnnxTensor first = OnnxTensor.createTensor(environment, 1f);
        OnnxTensor second = OnnxTensor.createTensor(environment, 2f);
        OnnxValue.close(List.of(first));
        OnnxValue.close(Map.of("second", second));
        assertThat(first.isClosed()).isTrue();
        assertThat(second.isClosed()).isTrue();
    }

    @Test
    void theElementsOfASequenceOutliveIt() throws OrtException {
        try (OrtSession session = environment.createSession(SmallModels.pair(ElementType.FLOAT));
                var one = OnnxTensor.createTensor(environment, new float[] {1});
                var two = OnnxTensor.createTensor(environment, new float[] {2, 3})) {
            var result = session.run(Map.of("in0", one, "in1", two));
            OnnxSequence sequence = (OnnxSequence) result.get(0);
            assertThat(sequence.getType()).isEqualTo(OnnxValueType.ONNX_TYPE_SEQUENCE);
            assertThat(sequence.getInfo().length).isEqualTo(2);
            assertThat(sequence.toString()).isEqualTo("OnnxSequence(info=SequenceInfo(length=2,type=FLOAT))");
            List<? extends OnnxValue> elements = sequence.getValue();
            assertThat(elements).hasSize(2);
            assertThatThrownBy(() -> elements.remove(0)).isInstanceOf(UnsupportedOperationException.class);
            assertThat(sequence.getValue().get(0)).isNotSameAs(elements.get(0));
            result.close();
            assertThat(sequence.isClosed()).isTrue();
            assertThatThrownBy(sequence::getValue).isInstanceOf(IllegalStateException.class);
            sequence.close();
            assertThat(elements.get(0).isClosed()).isFalse();
            assertThat(elements.get(0).getValue()).isEqualTo(new float[] {1});
            assertThat(elements.get(1).getValue()).isEqualTo(new float[] {2, 3});
            OnnxValue.close(elements);
            assertThat(elements.get(1).isClosed()).isTrue();
        }
    }

    @Test
    void closingAnElementLeavesTheSequence() throws OrtException {
        try (OrtSession session = environment.createSession(SmallModels.pair(ElementType.FLOAT));
                var one = OnnxTensor.createTensor(environment, new float[] {1});
                var result = session.run(Map.of("in0", one, "in1", one))) {
            OnnxSequence sequence = (OnnxSequence) result.get(0);
            sequence.getValue().get(0).close();
            assertThat(sequence.getValue().get(0).getValue()).isEqualTo(new float[] {1});
        }
    }

    @Test
    void sequencesOfStringsAreRead() throws OrtException {
        try (OrtSession session = environment.createSession(SmallModels.pair(ElementType.STRING));
                var one = OnnxTensor.createTensor(environment, new String[] {"a", "b"});
                var result = session.run(Map.of("in0", one, "in1", one))) {
            OnnxSequence sequence = (OnnxSequence) result.get(0);
            assertThat(sequence.getValue().get(1).getValue()).isEqualTo(new String[] {"a", "b"});
        }
    }

    @Test
    void mapsAreRead() throws OrtException {
        try (OrtSession session = environment.createSession(SmallModels.mapsOfLongs());
                var input = OnnxTensor.createTensor(environment, new float[][] {{0.25f, 0.75f}, {1, 0}});
                var result = session.run(Map.of("in0", input))) {
            OnnxSequence sequence = (OnnxSequence) result.get(0);
            assertThat(sequence.getInfo().isSequenceOfMaps()).isTrue();
            assertThat(sequence.getInfo().length).isEqualTo(2);
            OnnxMap map = (OnnxMap) sequence.getValue().get(0);
            assertThat(map.getType()).isEqualTo(OnnxValueType.ONNX_TYPE_MAP);
            assertThat(map.size()).isEqualTo(2);
            assertThat(map.getInfo().size).isEqualTo(2);
            assertThat(map.toString()).isEqualTo("ONNXMap(size=2,info=MapInfo(size=2,keyType=INT64,valueType=FLOAT))");
            assertThat(map.getValue()).isEqualTo(Map.of(5L, 0.25f, 7L, 0.75f));
            map.close();
            map.close();
            assertThat(map.isClosed()).isTrue();
            assertThatThrownBy(map::getValue).isInstanceOf(IllegalStateException.class);
            assertThat(((OnnxMap) sequence.getValue().get(0)).getValue()).isEqualTo(Map.of(5L, 0.25f, 7L, 0.75f));
            assertThat(((OnnxMap) sequence.getValue().get(1)).getValue()).isEqualTo(Map.of(5L, 1f, 7L, 0f));
        }
    }

    @Test
    void mapsMayHaveStrings() throws OrtException {
        try (OrtSession session = environment.createSession(SmallModels.mapsOfStrings());
                var input = OnnxTensor.createTensor(environment, new float[][] {{0.25f, 0.75f}});
                var result = session.run(Map.of("in0", input))) {
            OnnxMap map = (OnnxMap) ((OnnxSequence) result.get(0)).getValue().get(0);
            assertThat(map.getValue()).isEqualTo(Map.of("a", 0.25f, "b", 0.75f));
        }
    }
}
