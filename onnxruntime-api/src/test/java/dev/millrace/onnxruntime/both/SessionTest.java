package dev.millrace.onnxruntime.both;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.onnxruntime.NodeInfo;
import ai.onnxruntime.OnnxJavaType;
import ai.onnxruntime.OnnxModelMetadata;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtException.OrtErrorCode;
import ai.onnxruntime.OrtSession;
import ai.onnxruntime.OrtSession.SessionOptions;
import ai.onnxruntime.SequenceInfo;
import ai.onnxruntime.TensorInfo;
import dev.millrace.graph.tensor.ElementType;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Sessions: where models come from, and what sessions say of them. */
@Tag("reference")
class SessionTest {
    private final OrtEnvironment environment = OrtEnvironment.getEnvironment();

    @Test
    void aModelComesFromAFile(@TempDir Path folder) throws Exception {
        Path file = Files.write(folder.resolve("sum.onnx"), SmallModels.sum());
        try (OrtSession session = environment.createSession(file.toString());
                OrtSession second = environment.createSession(file.toString(), new SessionOptions())) {
            assertThat(session.getNumInputs()).isEqualTo(2);
            assertThat(second.getNumOutputs()).isEqualTo(1);
            assertThat(session.toString()).isEqualTo("OrtSession(numInputs=2,numOutputs=1)");
        }
    }

    @Test
    void aModelComesFromADirectBuffer() throws OrtException {
        byte[] model = SmallModels.sum();
        ByteBuffer buffer = ByteBuffer.allocateDirect(model.length).put(model).flip();
        try (OrtSession session = environment.createSession(buffer)) {
            assertThat(session.getInputNames()).containsExactly("in0", "in1");
        }
        assertThat(Failing.codeOf(() -> environment.createSession(ByteBuffer.wrap(model))))
                .isEqualTo(OrtErrorCode.ORT_JAVA_UNKNOWN);
        assertThat(Failing.codeOf(() -> environment.createSession(ByteBuffer.allocateDirect(0))))
                .isEqualTo(OrtErrorCode.ORT_JAVA_UNKNOWN);
    }

    @Test
    void anArrayMayChangeAfterwards() throws OrtException {
        byte[] model = SmallModels.weighted(false);
        try (OrtSession session = environment.createSession(model)) {
            Arrays.fill(model, (byte) 0);
            assertThat(session.getInputNames()).containsExactly("x");
            assertThat(session.getMetadata().getGraphName()).isEqualTo("weighted");
        }
    }

    @Test
    void faultsHaveCodes(@TempDir Path folder) {
        assertThat(Failing.codeOf(() -> environment.createSession("/no/such.onnx")))
                .isEqualTo(OrtErrorCode.ORT_NO_SUCHFILE);
        assertThat(Failing.codeOf(() -> environment.createSession(folder.toString())))
                .isEqualTo(OrtErrorCode.ORT_INVALID_ARGUMENT);
        assertThat(Failing.codeOf(() -> environment.createSession(new byte[0])))
                .isEqualTo(OrtErrorCode.ORT_INVALID_ARGUMENT);
        assertThat(Failing.codeOf(() -> environment.createSession(new byte[] {1, 2, 3, 4})))
                .isEqualTo(OrtErrorCode.ORT_INVALID_PROTOBUF);
        assertThat(Failing.codeOf(() -> environment.createSession(Arrays.copyOf(SmallModels.sum(), 60))))
                .isEqualTo(OrtErrorCode.ORT_INVALID_PROTOBUF);
        assertThat(Failing.codeOf(() -> environment.createSession(SmallModels.unknownOperator())))
                .isNotEqualTo(OrtErrorCode.ORT_OK);
    }

    @Test
    void missingArgumentsAreNullPointers() {
        byte[] none = null;
        SessionOptions noOptions = null;
        assertThatThrownBy(() -> environment.createSession(none)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> environment.createSession(SmallModels.sum(), noOptions))
                .isInstanceOf(NullPointerException.class);
    }

    @Test
    void inputsAreDescribedInOrder() throws OrtException {
        try (OrtSession session = environment.createSession(SmallModels.sum())) {
            assertThat(session.getInputNames()).containsExactly("in0", "in1");
            assertThat(session.getOutputNames()).containsExactly("out0");
            assertThat(session.getInputInfo().keySet()).containsExactly("in0", "in1");
            NodeInfo node = session.getInputInfo().get("in0");
            assertThat(node.getName()).isEqualTo("in0");
            TensorInfo info = (TensorInfo) node.getInfo();
            assertThat(info.type).isEqualTo(OnnxJavaType.FLOAT);
            assertThat(info.getShape()).containsExactly(-1, 2);
            assertThat(info.getDimensionNames()).containsExactly("n", "");
            assertThat(info.getNumElements()).isEqualTo(-2);
            assertThat(info.isScalar()).isFalse();
            assertThat(node.toString())
                    .isEqualTo("NodeInfo(name=in0,info=TensorInfo(javaType=FLOAT,onnxType=ONNX_TENSOR_ELEMENT_DATA"
                            + "_TYPE_FLOAT,shape=[-1, 2],dimNames=[n,\"\"]))");
            assertThat(Failing.codeOf(info::makeCarrier)).isEqualTo(OrtErrorCode.ORT_JAVA_UNKNOWN);
            TensorInfo output = (TensorInfo) session.getOutputInfo().get("out0").getInfo();
            assertThat(output.getShape()).containsExactly(-1, 2);
            assertThat(output.getDimensionNames()).containsExactly("n", "");
        }
    }

    @Test
    void initializersAreNoInputs() throws OrtException {
        try (OrtSession constant = environment.createSession(SmallModels.weighted(false));
                OrtSession overridable = environment.createSession(SmallModels.weighted(true))) {
            assertThat(constant.getInputNames()).containsExactly("x");
            assertThat(overridable.getInputNames()).containsExactly("x");
            assertThat(overridable.getNumInputs()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "FLOAT, FLOAT", "DOUBLE, DOUBLE", "INT8, INT8", "UINT8, UINT8", "INT16, INT16", "UINT16, INT16",
        "INT32, INT32", "UINT32, INT32", "INT64, INT64", "UINT64, INT64", "BOOL, BOOL", "STRING, STRING",
        "FLOAT16, FLOAT16", "BFLOAT16, BFLOAT16", "FLOAT8E4M3FN, UNKNOWN"
    })
    void elementsHaveATypeOfJava(ElementType element, OnnxJavaType type) throws OrtException {
        try (OrtSession session = environment.createSession(SmallModels.identity(element))) {
            TensorInfo info = (TensorInfo) session.getInputInfo().get("in0").getInfo();
            assertThat(info.type).isEqualTo(type);
            assertThat(info.onnxType.name()).isEqualTo("ONNX_TENSOR_ELEMENT_DATA_TYPE_" + element.name());
            assertThat(info.getShape()).containsExactly(-1, -1);
        }
    }

    @Test
    void otherValuesAreDescribed() throws OrtException {
        try (OrtSession scalar = environment.createSession(SmallModels.total());
                OrtSession pair = environment.createSession(SmallModels.pair(ElementType.FLOAT));
                OrtSession length = environment.createSession(SmallModels.lengthOfSequence());
                OrtSession maps = environment.createSession(SmallModels.mapsOfStrings());
                OrtSession sparse = environment.createSession(SmallModels.sparseProduct())) {
            assertThat(((TensorInfo) scalar.getOutputInfo().get("out0").getInfo()).isScalar())
                    .isTrue();
            assertThat(pair.getOutputInfo().get("out0").getInfo().toString())
                    .isEqualTo("SequenceInfo(length=UNKNOWN,type=FLOAT)");
            assertThat(length.getInputInfo().get("in0").getInfo()).isInstanceOfSatisfying(SequenceInfo.class, info -> {
                assertThat(info.sequenceType).isEqualTo(OnnxJavaType.FLOAT);
                assertThat(info.length).isEqualTo(-1);
                assertThat(info.mapInfo).isNull();
            });
            assertThat(maps.getOutputInfo().get("out0").getInfo()).isInstanceOfSatisfying(SequenceInfo.class, info -> {
                assertThat(info.isSequenceOfMaps()).isTrue();
                assertThat(info.sequenceOfMaps).isTrue();
                assertThat(info.sequenceType).isEqualTo(OnnxJavaType.UNKNOWN);
                assertThat(info.toString())
                        .isEqualTo("SequenceInfo(length=UNKNOWN,type=MapInfo(size=UNKNOWN,keyType=STRING,"
                                + "valueType=FLOAT))");
            });
            assertThat(((TensorInfo) sparse.getInputInfo().get("in0").getInfo()).getShape())
                    .containsExactly(3, 4);
        }
    }

    @Test
    void metadataIsThatOfTheFile() throws OrtException {
        try (OrtSession session = environment.createSession(SmallModels.sum())) {
            OnnxModelMetadata metadata = session.getMetadata();
            assertThat(metadata.getProducerName()).isEqualTo("maker");
            assertThat(metadata.getGraphName()).isEqualTo("small");
            assertThat(metadata.getGraphDescription()).isEqualTo("one node");
            assertThat(metadata.getDomain()).isEqualTo("org.example");
            assertThat(metadata.getDescription()).isEqualTo("a small model");
            assertThat(metadata.getVersion()).isEqualTo(7);
            assertThat(metadata.getCustomMetadata()).containsExactly(Map.entry("author", "nobody"));
            assertThat(metadata.getCustomMetadataValue("author")).hasValue("nobody");
            assertThat(metadata.getCustomMetadataValue("reader")).isEmpty();
            assertThatThrownBy(() -> metadata.getCustomMetadata().put("a", "b"))
                    .isInstanceOf(UnsupportedOperationException.class);
            assertThat(session.getMetadata()).isEqualTo(metadata).hasSameHashCodeAs(metadata);
            assertThat(metadata.toString())
                    .startsWith(
                            "OnnxModelMetadata{producerName='maker', graphName='small', graphDescription='one node'");
        }
    }

    @Test
    void aSessionClosesOnce() throws OrtException {
        OrtSession session = environment.createSession(SmallModels.sum());
        session.close();
        assertThatThrownBy(session::close).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(session::getInputNames).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(session::getOutputNames).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(session::getNumInputs).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(session::getNumOutputs).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(session::getInputInfo).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(session::getOutputInfo).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> session.run(Map.of())).isInstanceOf(IllegalStateException.class);
        assertThat(session.toString()).isEqualTo("OrtSession(numInputs=2,numOutputs=1)");
    }

    @Test
    void aTextThatIsNoPathNamesNoFile() {
        assertThat(Failing.codeOf(() -> environment.createSession(""))).isEqualTo(OrtErrorCode.ORT_NO_SUCHFILE);
        assertThat(Failing.codeOf(() -> environment.createSession("a\0b"))).isEqualTo(OrtErrorCode.ORT_NO_SUCHFILE);
    }
}
