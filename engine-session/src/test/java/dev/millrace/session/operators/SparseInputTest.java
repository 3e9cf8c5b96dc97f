package dev.millrace.session.operators;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import ai.onnxruntime.OnnxJavaType;
import ai.onnxruntime.OnnxSparseTensor;
import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import dev.millrace.graph.format.Models;
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
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Inputs that a model declares as sparse tensors, which are given as dense ones. */
@Tag("reference")
class SparseInputTest {
    private static final int ROWS = 3;
    private static final int COLUMNS = 4;

    @AutoClose
    private final Engine engine =
            Engine.create(EngineOptions.builder().threads(1).build());

    private final byte[] model = model();

    /** A sparse matrix times a dense one. */
    private static byte[] model() {
        var editor = new GraphEditor(Graph.named("sparse"));
        SymbolicShape shape = new SymbolicShape(List.of(Dim.of(ROWS), Dim.of(COLUMNS)));
        Value sparse = editor.addInput("a", new ValueType.SparseType(ElementType.FLOAT, shape));
        SymbolicShape dense = new SymbolicShape(List.of(Dim.of(COLUMNS), Dim.UNKNOWN));
        Value other = editor.addInput("b", ValueType.tensor(ElementType.FLOAT, dense));
        NodeSpec product = NodeSpec.of(new OpId(OpId.MICROSOFT, "SparseToDenseMatMul"), 1, sparse, other);
        editor.addOutput("y", editor.append(product, List.of("y")).requireOutput(0));
        var header = new Model.Header(10, "test", "1", "", 1, "");
        var opsets = Map.of(OpId.ONNX, 21, OpId.MICROSOFT, 1);
        return Models.toBytes(new Model(header, opsets, Map.of(), Map.of(), editor.graph(), null));
    }

    private static ByteBuffer direct(int bytes) {
        return ByteBuffer.allocateDirect(bytes).order(ByteOrder.nativeOrder());
    }

    /** The product of a matrix whose elements at these rows and columns are these, and are zero elsewhere. */
    private float[] referenceOutputs(long[] places, float[] values, Tensor dense) throws OrtException {
        var indices = direct(8 * places.length).asLongBuffer().put(places).flip();
        var numbers = direct(4 * values.length).asFloatBuffer().put(values).flip();
        OrtEnvironment environment = OrtEnvironment.getEnvironment();
        var sparse = new OnnxSparseTensor.COOTensor(
                indices,
                new long[] {values.length, 2},
                numbers,
                new long[] {ROWS, COLUMNS},
                OnnxJavaType.FLOAT,
                values.length);
        try (var a = OnnxSparseTensor.createSparseTensor(environment, sparse);
                var b = OnnxTensor.createTensor(
                        environment,
                        dense.segment()
                                .asByteBuffer()
                                .order(ByteOrder.nativeOrder())
                                .asFloatBuffer(),
                        dense.shape().toArray());
                OrtSession session = environment.createSession(model);
                OrtSession.Result result = session.run(Map.of("a", a, "b", b))) {
            FloatBuffer found = ((OnnxTensor) result.get(0)).getFloatBuffer();
            float[] product = new float[found.remaining()];
            found.get(product);
            return product;
        }
    }

    @Test
    void aSparseInputIsGivenDense() throws Exception {
        Tensor dense = new Draw(5).floats(COLUMNS, 5);
        Tensor sparse = Tensor.copyOf(new float[] {0, 2, 0, 0, 0, 0, 0, -1, 3, 0, 0.5f, 0}, ROWS, COLUMNS);
        float[] expected = referenceOutputs(new long[] {0, 1, 1, 3, 2, 0, 2, 2}, new float[] {2, -1, 3, 0.5f}, dense);
        try (Session session = engine.session(model, SessionOptions.defaults());
                Outputs outputs = session.run(Inputs.of("a", sparse).and("b", dense))) {
            assertThat(session.inputs().getFirst().type()).hasToString("float[3,4]");
            assertThat(outputs.get("y").shape()).isEqualTo(Shape.of(ROWS, 5));
            assertThat(outputs.get("y").floats()).containsExactly(expected, within(1e-5f));
        }
    }

    @Test
    void itsShapeIsLookedAt() {
        try (Session session = engine.session(model, SessionOptions.defaults())) {
            Inputs wide =
                    Inputs.of("a", Tensor.copyOf(new float[15], ROWS, 5)).and("b", Tensor.copyOf(new float[4], 4, 1));
            assertThatThrownBy(() -> session.run(wide)).hasMessageContaining("invalid dimensions for input: a");
        }
    }
}
