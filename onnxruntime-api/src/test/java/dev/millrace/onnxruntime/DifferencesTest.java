package dev.millrace.onnxruntime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.onnxruntime.OnnxJavaType;
import ai.onnxruntime.OnnxModelMetadata;
import ai.onnxruntime.OnnxSequence;
import ai.onnxruntime.OnnxSparseTensor;
import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtException.OrtErrorCode;
import ai.onnxruntime.OrtLoraAdapter;
import ai.onnxruntime.OrtModelCompilationOptions;
import ai.onnxruntime.OrtModelCompilationOptions.OrtCompileApiFlags;
import ai.onnxruntime.OrtSession.RunOptions;
import ai.onnxruntime.OrtSession.SessionOptions;
import ai.onnxruntime.OrtTrainingSession;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.LongBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the behaviour in which this module differs from ONNX Runtime, as the guide says. */
@Tag("reference")
@EnabledIfSystemProperty(named = "onnxruntime.jar", matches = ".+") // absent where the jar itself is tested
class DifferencesTest {
    private static final int OPSET = 21;

    private final OrtEnvironment environment = OrtEnvironment.getEnvironment();

    /** The product of a matrix of any number of rows with the initializer {@code w}. */
    private static byte[] product() {
        var editor = new GraphEditor(Graph.named("product"));
        SymbolicShape shape = SymbolicShape.of(Dim.symbol("n"), Dim.of(2));
        Value x = editor.addInput("x", ValueType.tensor(ElementType.FLOAT, shape));
        Value w = editor.addConstant("w", Tensor.copyOf(new float[] {1, 2, 3, 4}, 2, 2));
        NodeSpec node = NodeSpec.of(OpId.onnx("MatMul"), OPSET, x, w);
        editor.addOutput("y", editor.append(node, List.of("y")).requireOutput(0));
        return bytes(editor.graph());
    }

    private static byte[] emptySequence() {
        var editor = new GraphEditor(Graph.named("empty"));
        NodeSpec node = NodeSpec.of(OpId.onnx("SequenceEmpty"), OPSET).with(Attributes.NONE);
        editor.addOutput("y", editor.append(node, List.of("y")).requireOutput(0));
        return bytes(editor.graph());
    }

    private static byte[] bytes(Graph graph) {
        var header = new Model.Header(10, "test", "1", "", 1, "");
        return Models.toBytes(new Model(header, Map.of(OpId.ONNX, OPSET), Map.of(), Map.of(), graph, null));
    }

    private static void assertCode(OrtErrorCode expected, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        OrtException.class,
                        failure -> assertThat(failure.getCode()).isEqualTo(expected));
    }

    @Test
    void keysOfThisEngineAreChecked() throws OrtException {
        try (var options = new SessionOptions();
                var unknown = new SessionOptions();
                var wrong = new SessionOptions()) {
            options.addConfigEntry("millrace.bindLazily", "true");
            options.addConfigEntry("millrace.maxBindings", "2");
            environment.createSession(product(), options).close();
            unknown.addConfigEntry("millrace.noSuchOption", "1");
            assertCode(OrtErrorCode.ORT_INVALID_ARGUMENT, () -> environment.createSession(product(), unknown));
            wrong.addConfigEntry("ep.context_enable", "maybe");
            assertCode(OrtErrorCode.ORT_INVALID_ARGUMENT, () -> environment.createSession(product(), wrong));
        }
    }

    @Test
    void metadataCanBeCopied() throws OrtException {
        try (var session = environment.createSession(product())) {
            OnnxModelMetadata metadata = session.getMetadata();
            assertThat(new OnnxModelMetadata(metadata)).isEqualTo(metadata).hasSameHashCodeAs(metadata);
        }
    }

    @Test
    void optimisedModelsAreNotWritten(@TempDir Path folder) throws OrtException {
        Path target = folder.resolve("optimised.onnx");
        try (var options = new SessionOptions()) {
            options.setOptimizedModelFilePath(target.toString());
            assertCode(OrtErrorCode.ORT_NOT_IMPLEMENTED, () -> environment.createSession(product(), options));
        }
        assertThat(target).doesNotExist();
    }

    @Test
    void thereAreNoAdaptersAndNoTraining() {
        assertCode(OrtErrorCode.ORT_NOT_IMPLEMENTED, () -> OrtLoraAdapter.create("/no/such"));
        assertCode(OrtErrorCode.ORT_NOT_IMPLEMENTED, () -> OrtLoraAdapter.create(new byte[1]));
        assertThatThrownBy(() -> OrtTrainingSession.setSeed(1)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void anInitializerKeepsItsShape() throws OrtException {
        try (var options = new SessionOptions();
                var other = OnnxTensor.createTensor(environment, new float[1][2])) {
            options.addInitializer("w", other);
            assertCode(OrtErrorCode.ORT_INVALID_ARGUMENT, () -> environment.createSession(product(), options));
        }
    }

    @Test
    void missingInputsAndUnequalExtentsAreInvalidArguments() throws OrtException {
        try (var session = environment.createSession(product());
                var wrong = OnnxTensor.createTensor(environment, new float[1][3])) {
            assertCode(OrtErrorCode.ORT_INVALID_ARGUMENT, () -> session.run(Map.of("x", wrong)));
        }
    }

    @Test
    void aDirectBufferInTheOtherByteOrderIsTurned() throws OrtException {
        FloatBuffer buffer =
                ByteBuffer.allocateDirect(8).putFloat(1).putFloat(2).flip().asFloatBuffer();
        try (var session = environment.createSession(product());
                var x = OnnxTensor.createTensor(environment, buffer, new long[] {1, 2});
                var result = session.run(Map.of("x", x))) {
            assertThat(x.ownsBuffer()).isTrue();
            assertThat(result.get(0).getValue()).isEqualTo(new float[][] {{7, 10}});
        }
    }

    @Test
    void aDenseInputMayBeGivenSparse() throws OrtException {
        var coordinates = new OnnxSparseTensor.COOTensor(
                LongBuffer.wrap(new long[] {0, 1}),
                new long[] {1, 2},
                FloatBuffer.wrap(new float[] {5}),
                new long[] {1, 2},
                OnnxJavaType.FLOAT,
                1);
        try (var session = environment.createSession(product());
                var x = OnnxSparseTensor.createSparseTensor(environment, coordinates);
                var result = session.run(Map.of("x", x))) {
            assertThat(result.get(0).getValue()).isEqualTo(new float[][] {{15, 20}});
        }
    }

    @Test
    void placesOutsideOfASparseTensorAreRefused() {
        var outside = new OnnxSparseTensor.COOTensor(
                LongBuffer.wrap(new long[] {0, 2}),
                new long[] {1, 2},
                FloatBuffer.wrap(new float[] {5}),
                new long[] {1, 2},
                OnnxJavaType.FLOAT,
                1);
        assertCode(
                OrtErrorCode.ORT_INVALID_ARGUMENT,
                () -> OnnxSparseTensor.createSparseTensor(environment, outside).close());
    }

    @Test
    void anEmptySequenceHasNoElements() throws OrtException {
        try (var session = environment.createSession(emptySequence());
                var result = session.run(Map.of())) {
            OnnxSequence sequence = (OnnxSequence) result.get(0);
            assertThat(sequence.getValue()).isEmpty();
            assertThat(sequence.getInfo().sequenceType).isEqualTo(OnnxJavaType.FLOAT);
        }
    }

    @Test
    void compilationCompiles(@TempDir Path folder) throws Exception {
        Path source = Files.write(folder.resolve("source.onnx"), product());
        Path target = folder.resolve("target.onnx");
        try (var session = new SessionOptions();
                var options = OrtModelCompilationOptions.createFromSessionOptions(environment, session)) {
            options.setInputModelPath(source.toString());
            options.setOutputModelPath(target.toString());
            options.setOutputExternalInitializersPath("weights.data", 0);
            options.setEpContextEmbedMode(true);
            options.setCompilationFlags(EnumSet.of(OrtCompileApiFlags.ERROR_IF_NO_NODES_COMPILED));
            options.compileModel();
        }
        assertThat(Models.read(target).graph().nodes())
                .anyMatch(node -> node.op().name().equals("EPContext"));
    }

    @Test
    void anOutputIsWrittenWhereItMayBe() throws OrtException {
        FloatBuffer readOnly = ByteBuffer.allocateDirect(8)
                .order(ByteOrder.nativeOrder())
                .asFloatBuffer()
                .asReadOnlyBuffer();
        try (var session = environment.createSession(product());
                var sequences = environment.createSession(emptySequence());
                var x = OnnxTensor.createTensor(environment, new float[1][2]);
                var target = OnnxTensor.createTensor(environment, readOnly, new long[] {1, 2});
                var empty = sequences.run(Map.of())) {
            assertCode(OrtErrorCode.ORT_INVALID_ARGUMENT, () -> session.run(Map.of("x", x), Map.of("y", target)));
            assertCode(OrtErrorCode.ORT_INVALID_ARGUMENT, () -> sequences.run(Map.of(), Map.of("y", empty.get(0))));
        }
    }

    @Test
    void closedValuesAreRefused() throws OrtException {
        var x = OnnxTensor.createTensor(environment, new float[1][2]);
        x.close();
        var run = new RunOptions();
        run.close();
        var options = new SessionOptions();
        options.close();
        try (var session = environment.createSession(product());
                var open = OnnxTensor.createTensor(environment, new float[1][2]);
                var other = new SessionOptions()) {
            assertThatThrownBy(() -> session.run(Map.of("x", x))).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> session.run(Map.of("x", open), Map.of("y", x)))
                    .isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> session.run(Map.of("x", open), run)).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> environment.createSession(product(), options))
                    .isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> other.addInitializer("w", x)).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void stringsHaveNoBuffer() throws OrtException {
        try (var strings = OnnxTensor.createTensor(environment, new String[] {"a"});
                var bytes = OnnxTensor.createTensor(
                        environment,
                        ByteBuffer.allocate(4).order(ByteOrder.nativeOrder()).putFloat(0, 2),
                        new long[] {1},
                        OnnxJavaType.FLOAT)) {
            assertThat(strings.getBufferRef()).isEmpty();
            assertThat(bytes.getValue()).isEqualTo(new float[] {2});
        }
    }

    @Test
    void aProfileThatCannotBeWrittenFails(@TempDir Path folder) throws OrtException {
        try (var options = new SessionOptions()) {
            options.enableProfiling(folder.resolve("absent").resolve("profile").toString());
            assertCode(OrtErrorCode.ORT_FAIL, () -> environment.createSession(product(), options));
        }
    }
}
