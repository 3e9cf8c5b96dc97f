package dev.millrace.bench.nets;

import dev.millrace.bench.kernels.Operands;
import dev.millrace.bench.kernels.ReferenceModel;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Two layers of a decoder with 4-bit weights, which computes one token from the keys and values of earlier
 * ones: RMS norms, rotary position embedding, grouped-query attention, a gated product (SwiGLU).
 * Everything but the products is plain ONNX.
 */
public final class DecoderNet {
    private static final int LAYERS = 2;
    private static final int HIDDEN = 2048;
    private static final int INNER = 5632;
    private static final int HEADS = 32;
    private static final int KEY_HEADS = 4;
    private static final int DEPTH = 64;
    private static final int WORDS = 16384;
    private static final int POSITIONS = 2048;
    private static final int BLOCK = 32;
    private static final double POSITION_BASE = 10000;
    private static final float EPSILON = 1e-5f;
    /** The standard deviation of the numbers that four random bits encode. */
    private static final float SPREAD = 4.6f;

    private static final OpId PRODUCT = new OpId(OpId.MICROSOFT, "MatMulNBits");

    private final ReferenceModel model = new ReferenceModel();
    private final Operands operands = new Operands(Arena.ofAuto());
    private final Map<String, Value> constants = new LinkedHashMap<>();
    private final int accuracyLevel;
    private int weights;

    private DecoderNet(int accuracyLevel) {
        this.accuracyLevel = accuracyLevel;
    }

    /** @param accuracyLevel the attribute of MatMulNBits: 0 leaves it to the engine, 4 allows int8 products */
    public static byte[] bytes(int accuracyLevel) {
        return new DecoderNet(accuracyLevel).build();
    }

    /** Returns sensible extents: one token after {@code past} others. */
    public static Map<String, long[]> shapes(long past) {
        var shapes = new LinkedHashMap<String, long[]>();
        for (int layer = 0; layer < LAYERS; layer++) {
            shapes.put("past_key." + layer, new long[] {1, KEY_HEADS, past, DEPTH});
            shapes.put("past_value." + layer, new long[] {1, KEY_HEADS, past, DEPTH});
        }
        return shapes;
    }

    private byte[] build() {
        Value x = model.input("embedding", ValueType.tensor(ElementType.FLOAT, Shape.of(1, 1, HIDDEN)));
        Value position = model.input("position", ValueType.tensor(ElementType.INT64, Shape.of(1, 1)));
        Value cos = angles("cos", position);
        Value sin = angles("sin", position);
        for (int layer = 0; layer < LAYERS; layer++) {
            x = model.node("Add", x, attention(layer, norm(x), cos, sin));
            x = model.node("Add", x, gated(norm(x)));
        }
        model.output("logits", product(norm(x), HIDDEN, WORDS));
        return model.bytes();
    }

    private Value angles(String function, Value position) {
        float[] table = new float[POSITIONS * DEPTH];
        for (int p = 0; p < POSITIONS; p++) {
            for (int i = 0; i < DEPTH; i++) {
                double angle = p * Math.pow(POSITION_BASE, -2.0 * (i % (DEPTH / 2)) / DEPTH);
                table[p * DEPTH + i] = (float) (function.equals("cos") ? Math.cos(angle) : Math.sin(angle));
            }
        }
        Value rows = model.constant(function, Tensor.copyOf(table, POSITIONS, DEPTH));
        return model.node("Unsqueeze", model.node("Gather", rows, position), longs(1));
    }

    private Value attention(int layer, Value x, Value cos, Value sin) {
        Value query = rotated(heads(product(x, HIDDEN, HIDDEN), HEADS), cos, sin);
        Value key = rotated(heads(product(x, HIDDEN, KEY_HEADS * DEPTH), KEY_HEADS), cos, sin);
        Value value = heads(product(x, HIDDEN, KEY_HEADS * DEPTH), KEY_HEADS);
        Value keys = kept("key." + layer, key);
        Value values = kept("value." + layer, value);
        Value across = model.node("Transpose", permutation(0, 1, 3, 2), shared(keys));
        Value scores = model.node("Mul", model.node("MatMul", query, across), floats((float) (1 / Math.sqrt(DEPTH))));
        Value shares = model.node("Softmax", Attributes.of("axis", Attribute.of(-1L)), scores);
        Value mixed = model.node("MatMul", shares, shared(values));
        Value row = model.node("Reshape", model.node("Transpose", permutation(0, 2, 1, 3), mixed), longs(1, 1, HIDDEN));
        return product(row, HIDDEN, HIDDEN);
    }

    private Value heads(Value x, int count) {
        return model.node("Transpose", permutation(0, 2, 1, 3), model.node("Reshape", x, longs(1, 1, count, DEPTH)));
    }

    private Value rotated(Value x, Value cos, Value sin) {
        Value first = model.node("Slice", x, longs(0), longs(DEPTH / 2), longs(-1));
        Value second = model.node("Slice", x, longs(DEPTH / 2), longs(DEPTH), longs(-1));
        Attributes last = Attributes.of("axis", Attribute.of(-1L));
        Value turned = model.node("Concat", last, model.node("Neg", second), first);
        return model.node("Add", model.node("Mul", x, cos), model.node("Mul", turned, sin));
    }

    /** Returns the rows of earlier tokens, followed by this one's. */
    private Value kept(String name, Value row) {
        var shape = SymbolicShape.of(Dim.of(1), Dim.of(KEY_HEADS), Dim.symbol("past"), Dim.of(DEPTH));
        Value past = model.input("past_" + name, ValueType.tensor(ElementType.FLOAT, shape));
        Value present = model.node("Concat", Attributes.of("axis", Attribute.of(2L)), past, row);
        model.output("present_" + name, present);
        return present;
    }

    /** Returns the rows repeated for all queries of a group. */
    private Value shared(Value rows) {
        Value apart = model.node("Unsqueeze", rows, longs(2));
        Value repeated = model.node("Expand", apart, longs(1, 1, HEADS / KEY_HEADS, 1, 1));
        return model.node("Reshape", repeated, longs(1, HEADS, -1, DEPTH));
    }

    private Value gated(Value x) {
        Value gate = product(x, HIDDEN, INNER);
        Value open = model.node("Mul", gate, model.node("Sigmoid", gate));
        return product(model.node("Mul", open, product(x, HIDDEN, INNER)), INNER, HIDDEN);
    }

    private Value norm(Value x) {
        Value squares = model.node("Pow", x, floats(2));
        Value mean = model.node("ReduceMean", squares, longs(-1));
        Value root = model.node("Sqrt", model.node("Add", mean, floats(EPSILON)));
        Value weight = model.constant("norm" + weights++, operands.floatsBetween(0.8f, 1.2f, HIDDEN));
        return model.node("Mul", weight, model.node("Mul", x, model.node("Reciprocal", root)));
    }

    private Value product(Value x, int in, int out) {
        String name = "product" + weights++;
        float scale = (float) (1 / (SPREAD * Math.sqrt(in)));
        Value weight = model.constant(name, operands.bytes(ElementType.UINT8, 0, 255, out, in / BLOCK, BLOCK / 2));
        Value scales = model.constant(
                name + ".scales", operands.floatsBetween(0.8f * scale, 1.2f * scale, (long) out * (in / BLOCK)));
        Attributes attributes = Attributes.NONE
                .with("K", Attribute.of((long) in))
                .with("N", Attribute.of((long) out))
                .with("bits", Attribute.of(4L))
                .with("block_size", Attribute.of((long) BLOCK));
        if (accuracyLevel > 0) {
            attributes = attributes.with("accuracy_level", Attribute.of((long) accuracyLevel));
        }
        return model.node(NodeSpec.of(PRODUCT, 1, x, weight, scales).with(attributes));
    }

    private Value longs(long... values) {
        return constants.computeIfAbsent(
                "longs" + Arrays.toString(values), name -> model.constant(name, Tensor.copyOf(values, values.length)));
    }

    private Value floats(float value) {
        return constants.computeIfAbsent("float" + value, name -> model.constant(name, Tensor.scalar(value)));
    }

    private static Attributes permutation(long... order) {
        return Attributes.of("perm", Attribute.of(order));
    }
}
