package dev.millrace.bench.generate;

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
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.testkit.RandomTensors;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Two layers of a decoder with random weights, whose inputs and outputs have exporters' names: RMS norms, rotary
 * position embedding, grouped-query attention, key and value caches, a gated product (SwiGLU).
 */
final class SmallDecoder {
    static final int LAYERS = 2;
    static final int WORDS = 160;
    static final int POSITIONS = 512;
    static final int KEY_HEADS = 2;
    static final int DEPTH = 16;
    private static final int HIDDEN = 64;
    private static final int HEADS = 4;
    private static final int INNER = 128;
    private static final int EXPERTS = 4;
    private static final long WINDOW = 24;
    private static final double POSITION_BASE = 10000;
    private static final int OPSET = 23;
    private static final float LEAST_OF_HALVES = -65504;
    private static final OpId GROUPS = new OpId(OpId.MICROSOFT, "GroupQueryAttention");

    /** The form of attention. */
    enum Form {
        /** ONNX's own operators, with caches that grow. */
        PLAIN,
        /** ONNX's Attention, with caches that grow. */
        ATTENTION,
        /** GroupQueryAttention, with caches that grow. */
        GROUPS,
        /** GroupQueryAttention, with caches that have room for all positions. */
        GROUPS_WITH_ROOM,
        /** GroupQueryAttention whose queries see the last tokens only. */
        GROUPS_IN_WINDOW,
        /** LinearAttention, whose state does not grow. */
        LINEAR,
        /** GroupQueryAttention and a mixture of experts. */
        EXPERTS,
        /** GroupQueryAttention and a mixture of experts whose weights have 4 bits. */
        QUANTISED_EXPERTS,
        /** ONNX's own operators on 16-bit floats. */
        PLAIN_HALVES,
        /** GroupQueryAttention on 16-bit floats. */
        GROUPS_OF_HALVES,
        /** GroupQueryAttention on 16-bit floats whose queries see the last tokens only. */
        HALVES_IN_WINDOW;

        boolean isPlain() {
            return this == PLAIN || this == PLAIN_HALVES;
        }

        boolean hasExperts() {
            return this == EXPERTS || this == QUANTISED_EXPERTS;
        }

        /** Returns the operators that mix tokens or experts in the optimised graph. */
        List<String> operators() {
            return switch (this) {
                case PLAIN, PLAIN_HALVES -> List.of("Attention");
                case LINEAR -> List.of("LinearAttention");
                case EXPERTS -> List.of("GroupQueryAttention", "MoE");
                case QUANTISED_EXPERTS -> List.of("GroupQueryAttention", "QMoE");
                default -> List.of("GroupQueryAttention");
            };
        }

        boolean hasWindow() {
            return this == GROUPS_IN_WINDOW || this == HALVES_IN_WINDOW;
        }

        ElementType type() {
            return ordinal() < PLAIN_HALVES.ordinal() ? ElementType.FLOAT : ElementType.FLOAT16;
        }
    }

    private final ReferenceModel model = new ReferenceModel(OPSET);
    private final Random random;
    private final Form form;
    private final Map<String, Value> constants = new LinkedHashMap<>();
    private int weights;

    private SmallDecoder(Form form, long seed) {
        this.form = form;
        this.random = new Random(seed);
    }

    static byte[] bytes(Form form, long seed) {
        return new SmallDecoder(form, seed).build();
    }

    private static SymbolicShape shape(Dim... dims) {
        return SymbolicShape.of(dims);
    }

    private Value row(String name, String length) {
        return model.input(
                name, ValueType.tensor(ElementType.INT64, shape(Dim.symbol("batch_size"), Dim.symbol(length))));
    }

    private byte[] build() {
        Value ids = row("input_ids", "sequence_length");
        Attention attention = attention();
        Value x = model.node("Gather", weight("embedding", 1, WORDS, HIDDEN), ids);
        for (int layer = 0; layer < LAYERS; layer++) {
            Value before = norm(x);
            Value query = product(before, HIDDEN, HIDDEN);
            Value key = product(before, HIDDEN, KEY_HEADS * DEPTH);
            Value value = product(before, HIDDEN, KEY_HEADS * DEPTH);
            x = model.node("Add", x, product(attention.mixed(layer, query, key, value), HIDDEN, HIDDEN));
            x = model.node("Add", x, gated(norm(x)));
        }
        model.output("logits", product(norm(x), HIDDEN, WORDS));
        attention.presents.forEach(model::output);
        return model.bytes();
    }

    private Attention attention() {
        if (form == Form.ATTENTION) {
            return new Fused();
        }
        if (form == Form.LINEAR) {
            return new Linear();
        }
        Value mask = row("attention_mask", "total_sequence_length");
        return form.isPlain() ? new Plain(mask) : new Grouped(mask);
    }

    private Value past(String name) {
        Dim steps = form == Form.GROUPS_WITH_ROOM ? Dim.of(POSITIONS) : Dim.symbol("past_sequence_length");
        return model.input(
                "past_key_values." + name,
                ValueType.tensor(
                        form.type(), shape(Dim.symbol("batch_size"), Dim.of(KEY_HEADS), steps, Dim.of(DEPTH))));
    }

    private abstract static class Attention {
        final Map<String, Value> presents = new LinkedHashMap<>();

        abstract Value mixed(int layer, Value query, Value key, Value value);
    }

    private final class Grouped extends Attention {
        private final Value last;
        private final Value total;
        private final Value cos = angles("cos", DEPTH / 2);
        private final Value sin = angles("sin", DEPTH / 2);

        Grouped(Value mask) {
            Attributes flat = Attributes.of("keepdims", Attribute.of(0L));
            Value there = model.node("ReduceSum", flat, mask, longs(1));
            Attributes ints = Attributes.of("to", Attribute.of(ElementType.INT32.code()));
            last = model.node("Cast", ints, model.node("Sub", there, longs(1)));
            Value length = model.node("Gather", model.node("Shape", mask), long1(1));
            total = model.node("Cast", ints, length);
        }

        @Override
        Value mixed(int layer, Value query, Value key, Value value) {
            Value keys = past(layer + ".key");
            Value values = past(layer + ".value");
            NodeSpec spec = NodeSpec.of(GROUPS, 1, query, key, value, keys, values, last, total, cos, sin)
                    .with(Attributes.of("num_heads", Attribute.of((long) HEADS))
                            .with("kv_num_heads", Attribute.of((long) KEY_HEADS))
                            .with("local_window_size", Attribute.of(form.hasWindow() ? WINDOW : -1L))
                            .with("do_rotary", Attribute.of(1L)));
            String name = "present." + layer;
            List<Value> made = model.nodes(spec, "mixed" + layer, name + ".key", name + ".value");
            presents.put(name + ".key", made.get(1));
            presents.put(name + ".value", made.get(2));
            return made.getFirst();
        }
    }

    private final class Fused extends Attention {
        private final Value positions = row("position_ids", "sequence_length");
        private final Value cos = angles("cos", DEPTH / 2);
        private final Value sin = angles("sin", DEPTH / 2);

        @Override
        Value mixed(int layer, Value query, Value key, Value value) {
            Value keys = past(layer + ".key");
            Value values = past(layer + ".value");
            NodeSpec spec = NodeSpec.of(
                            OpId.onnx("Attention"),
                            OPSET,
                            rotated(query, HEADS),
                            rotated(key, KEY_HEADS),
                            value,
                            null,
                            keys,
                            values)
                    .with("q_num_heads", Attribute.of((long) HEADS))
                    .with("kv_num_heads", Attribute.of((long) KEY_HEADS))
                    .with("is_causal", Attribute.of(1L));
            String name = "present." + layer;
            List<Value> made = model.nodes(spec, "mixed" + layer, name + ".key", name + ".value");
            presents.put(name + ".key", made.get(1));
            presents.put(name + ".value", made.get(2));
            return made.getFirst();
        }

        private Value rotated(Value x, int heads) {
            Attributes split = Attributes.of("num_heads", Attribute.of((long) heads));
            return model.node("RotaryEmbedding", split, x, cos, sin, positions);
        }
    }

    private final class Linear extends Attention {
        private static final float KEY_SIZE = 0.125f;

        @Override
        Value mixed(int layer, Value query, Value key, Value value) {
            Value past = model.input(
                    "past_states." + layer,
                    ValueType.tensor(
                            ElementType.FLOAT,
                            shape(Dim.symbol("batch_size"), Dim.of(KEY_HEADS), Dim.of(DEPTH), Dim.of(DEPTH))));
            NodeSpec spec = NodeSpec.of(
                            new OpId(OpId.MICROSOFT, "LinearAttention"),
                            1,
                            query,
                            model.node("Mul", key, floats(KEY_SIZE)),
                            value,
                            past,
                            model.node("Neg", share(query, 0)),
                            share(query, KEY_HEADS))
                    .with("q_num_heads", Attribute.of((long) HEADS))
                    .with("kv_num_heads", Attribute.of((long) KEY_HEADS));
            List<Value> made = model.nodes(spec, "mixed" + layer, "present_states." + layer);
            presents.put("present_states." + layer, made.get(1));
            return made.getFirst();
        }

        /** Returns a number between 0 and 1 for each head, from some elements of rows. */
        private Value share(Value rows, long first) {
            return model.node("Sigmoid", model.node("Slice", rows, longs(first), longs(first + KEY_HEADS), longs(-1)));
        }
    }

    private final class Plain extends Attention {
        private final Value cos;
        private final Value sin;
        private final Value bias;

        Plain(Value mask) {
            Value positions = row("position_ids", "sequence_length");
            cos = turns("cos", positions);
            sin = turns("sin", positions);
            Value length = model.node("Gather", model.node("Shape", mask), long1(1));
            Value places = model.node("Range", long1(0), length, long1(1));
            Value own = model.node("Unsqueeze", positions, longs(1, 3));
            Attributes bool = Attributes.of("to", Attribute.of(ElementType.BOOL.code()));
            Value there = model.node("Cast", bool, model.node("Unsqueeze", mask, longs(1, 2)));
            Value seen = model.node("And", model.node("LessOrEqual", places, own), there);
            bias = model.node(
                    "Where",
                    seen,
                    floats(0),
                    floats(form.type() == ElementType.FLOAT ? -Float.MAX_VALUE : LEAST_OF_HALVES));
        }

        private Value turns(String function, Value positions) {
            return model.node("Unsqueeze", model.node("Gather", angles(function, DEPTH), positions), longs(1));
        }

        @Override
        Value mixed(int layer, Value query, Value key, Value value) {
            Value queries = rotated(heads(query, HEADS));
            Value keys = kept(layer + ".key", rotated(heads(key, KEY_HEADS)));
            Value values = kept(layer + ".value", heads(value, KEY_HEADS));
            Value across = model.node("Transpose", permutation(0, 1, 3, 2), shared(keys));
            Value scores =
                    model.node("Mul", model.node("MatMul", queries, across), floats((float) (1 / Math.sqrt(DEPTH))));
            Value shares =
                    model.node("Softmax", Attributes.of("axis", Attribute.of(-1L)), model.node("Add", scores, bias));
            Value mixed = model.node("MatMul", shares, shared(values));
            return model.node("Reshape", model.node("Transpose", permutation(0, 2, 1, 3), mixed), longs(0, 0, HIDDEN));
        }

        private Value heads(Value x, int count) {
            return model.node(
                    "Transpose", permutation(0, 2, 1, 3), model.node("Reshape", x, longs(0, 0, count, DEPTH)));
        }

        private Value rotated(Value x) {
            Value first = model.node("Slice", x, longs(0), longs(DEPTH / 2), longs(-1));
            Value second = model.node("Slice", x, longs(DEPTH / 2), longs(DEPTH), longs(-1));
            Attributes last = Attributes.of("axis", Attribute.of(-1L));
            Value turned = model.node("Concat", last, model.node("Neg", second), first);
            return model.node("Add", model.node("Mul", x, cos), model.node("Mul", turned, sin));
        }

        private Value kept(String name, Value rows) {
            Value present = model.node("Concat", Attributes.of("axis", Attribute.of(2L)), past(name), rows);
            presents.put("present." + name, present);
            return present;
        }

        /** Returns the rows repeated for all queries of a group. */
        private Value shared(Value rows) {
            Value apart = model.node("Unsqueeze", rows, longs(2));
            Value repeated = model.node("Expand", apart, longs(1, 1, HEADS / KEY_HEADS, 1, 1));
            Value batch = model.node("Shape", Attributes.of("end", Attribute.of(1L)), rows);
            Value extents =
                    model.node("Concat", Attributes.of("axis", Attribute.of(0L)), batch, longs(HEADS, -1, DEPTH));
            return model.node("Reshape", repeated, extents);
        }
    }

    /** Returns a constant of one row for each position, which repeats itself if it is wider than half the depth. */
    private Value angles(String function, int width) {
        return constants.computeIfAbsent(function, name -> {
            float[] table = new float[POSITIONS * width];
            for (int p = 0; p < POSITIONS; p++) {
                for (int i = 0; i < width; i++) {
                    double angle = p * Math.pow(POSITION_BASE, -2.0 * (i % (DEPTH / 2)) / DEPTH);
                    table[p * width + i] = (float) (name.equals("cos") ? Math.cos(angle) : Math.sin(angle));
                }
            }
            return model.constant(name, rounded(Tensor.copyOf(table, POSITIONS, width)));
        });
    }

    private Value experts(Value x) {
        Value shares = product(model.node("Reshape", x, longs(-1, HIDDEN)), HIDDEN, EXPERTS);
        var experts = new SmallExperts(model, random, EXPERTS, HIDDEN, INNER);
        return form == Form.QUANTISED_EXPERTS ? experts.quantised(x, shares) : experts.floats(x, shares);
    }

    private Value gated(Value x) {
        if (form.hasExperts()) {
            return experts(x);
        }
        Value gate = product(x, HIDDEN, INNER);
        Value open = model.node("Mul", gate, model.node("Sigmoid", gate));
        return product(model.node("Mul", open, product(x, HIDDEN, INNER)), INNER, HIDDEN);
    }

    private Value norm(Value x) {
        Value squares = model.node("Mul", x, x);
        Value mean = model.node("ReduceMean", squares, longs(-1));
        Value root = model.node("Sqrt", model.node("Add", mean, floats(1e-5f)));
        return model.node("Div", x, root);
    }

    private Value product(Value x, int in, int out) {
        return model.node("MatMul", x, weight("weight" + weights++, 2 / Math.sqrt(in), in, out));
    }

    private Value weight(String name, double spread, long... extents) {
        Shape shape = Shape.of(extents);
        return model.constant(name, RandomTensors.reals(form.type(), shape, () -> spread * random.nextGaussian()));
    }

    private Value longs(long... values) {
        return constants.computeIfAbsent(
                "longs" + Arrays.toString(values), name -> model.constant(name, Tensor.copyOf(values, values.length)));
    }

    private Value long1(long value) {
        return constants.computeIfAbsent("long" + value, name -> model.constant(name, Tensor.scalar(value)));
    }

    private Value floats(float value) {
        return constants.computeIfAbsent("float" + value, name -> model.constant(name, rounded(Tensor.scalar(value))));
    }

    /** Returns floats in the type of the form. */
    private Tensor rounded(Tensor floats) {
        Tensor rounded = Tensor.allocate(form.type(), floats.shape());
        Elements.write(form.type(), rounded.segment(), 0, floats.doubles(), 0, Math.toIntExact(floats.elements()));
        return rounded;
    }

    private static Attributes permutation(long... order) {
        return Attributes.of("perm", Attribute.of(order));
    }
}
