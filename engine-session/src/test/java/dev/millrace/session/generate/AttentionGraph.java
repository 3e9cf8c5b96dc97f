package dev.millrace.session.generate;

import dev.millrace.graph.format.Models;
import dev.millrace.graph.ir.Attribute;
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
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** A graph under construction with attention of one head and random weights, and the same sums in double precision. */
class AttentionGraph {
    static final int WORDS = 13;
    static final int WIDTH = 8;
    static final int OPSET = 21;

    final GraphEditor editor;
    private final long seed;

    AttentionGraph(Graph graph, long seed) {
        this.editor = new GraphEditor(graph);
        this.seed = seed;
    }

    /** Returns the weights of a name, the same in each graph of a seed. */
    static float[] weights(long seed, String name, int rows, int columns) {
        var random = new Random(seed * 31 + name.hashCode());
        float[] values = new float[rows * columns];
        for (int i = 0; i < values.length; i++) {
            values[i] = (float) random.nextGaussian();
        }
        return values;
    }

    Value node(String op, Attributes attributes, Value... inputs) {
        NodeSpec spec = NodeSpec.of(OpId.onnx(op), OPSET, inputs).with(attributes);
        return editor.append(
                        spec,
                        List.of(editor.graph().name() + op + editor.graph().nodeCount()))
                .requireOutput(0);
    }

    Value node(String op, Value... inputs) {
        return node(op, Attributes.NONE, inputs);
    }

    Value constant(Tensor tensor) {
        return editor.addConstant(
                editor.graph().name() + "c" + editor.graph().constants().size(), tensor);
    }

    Value input(String name, ElementType type, Dim... dims) {
        return editor.addInput(name, ValueType.tensor(type, SymbolicShape.of(dims)));
    }

    Value weight(String name, int rows, int columns) {
        return constant(Tensor.copyOf(weights(seed, name, rows, columns), rows, columns));
    }

    Value embedded(Value ids) {
        return node("Gather", weight("embedding", WORDS, WIDTH), ids);
    }

    Value product(Value x, String name, int columns) {
        return node("MatMul", x, weight(name, WIDTH, columns));
    }

    /** Makes rows of a batch those of one head. */
    Value head(Value rows) {
        return node("Unsqueeze", rows, constant(Tensor.copyOf(new long[] {1}, 1)));
    }

    /** Returns what queries see of all keys, as rows of the batch. */
    Value attention(Value query, Value keys, Value values) {
        return attention(query, keys, values, null);
    }

    /** @param bias is added to the scores; null for none */
    Value attention(Value query, Value keys, Value values, @Nullable Value bias) {
        Value turned = node("Transpose", Attributes.of("perm", Attribute.of(0, 1, 3, 2)), keys);
        Value scale = constant(Tensor.scalar((float) (1 / Math.sqrt(WIDTH))));
        Value scores = node("Mul", node("MatMul", query, turned), scale);
        Value biased = bias == null ? scores : node("Add", scores, bias);
        Value shares = node("Softmax", Attributes.of("axis", Attribute.of(-1)), biased);
        Value seen = node("MatMul", shares, values);
        return node("Squeeze", seen, constant(Tensor.copyOf(new long[] {1}, 1)));
    }

    byte[] bytes() {
        return Models.toBytes(new Model(
                new Model.Header(10, "test", "1", "", 1, ""),
                Map.of(OpId.ONNX, OPSET, OpId.MICROSOFT, 1),
                Map.of(),
                Map.of(),
                editor.graph(),
                null));
    }

    /** The product of a row and weights, in double precision. */
    static double[] times(double[] row, float[] weights, int columns) {
        double[] result = new double[columns];
        for (int i = 0; i < row.length; i++) {
            for (int j = 0; j < columns; j++) {
                result[j] += row[i] * weights[i * columns + j];
            }
        }
        return result;
    }

    static double[] row(float[] weights, int index) {
        double[] row = new double[WIDTH];
        for (int i = 0; i < WIDTH; i++) {
            row[i] = weights[index * WIDTH + i];
        }
        return row;
    }

    /** Attention of a query to keys, in double precision. */
    static double[] attention(double[] query, List<double[]> keys, List<double[]> values) {
        double[] shares = new double[keys.size()];
        double sum = 0;
        for (int i = 0; i < shares.length; i++) {
            double product = 0;
            for (int j = 0; j < WIDTH; j++) {
                product += query[j] * keys.get(i)[j];
            }
            shares[i] = Math.exp(product / Math.sqrt(WIDTH));
            sum += shares[i];
        }
        double[] seen = new double[WIDTH];
        for (int i = 0; i < shares.length; i++) {
            for (int j = 0; j < WIDTH; j++) {
                seen[j] += shares[i] / sum * values.get(i)[j];
            }
        }
        return seen;
    }
}
