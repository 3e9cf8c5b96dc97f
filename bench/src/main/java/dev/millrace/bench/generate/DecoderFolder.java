package dev.millrace.bench.generate;

import dev.millrace.graph.format.Models;
import dev.millrace.graph.format.WriteOptions;
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
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Writes a decoder with random weights as ONNX Runtime GenAI's model builder writes one for processors: packed projections,
 * products by 4-bit weights in blocks of 32, GroupQueryAttention that rotates, norms with their skips.
 */
final class DecoderFolder {
    static final String MODEL = "model.onnx";

    private static final int OPSET = 21;
    private static final int BLOCK = 32;
    private static final float EPSILON = 1e-5f;
    private static final double POSITION_BASE = 10_000;
    /** The standard deviation of four random bits around their zero point. */
    private static final double SPREAD = 4.32;

    private final GraphEditor editor = new GraphEditor(Graph.named("decoder"));
    private final SplittableRandom random;
    private final DecoderSize size;
    /** The caches that the layers return, keys before values. */
    private final List<Value> presents = new ArrayList<>();

    private int nodes;

    private DecoderFolder(DecoderSize size, long seed) {
        this.size = size;
        this.random = new SplittableRandom(seed);
    }

    /** Writes the model and its configuration to a folder. */
    static void write(DecoderSize size, long seed, Path folder) throws IOException {
        Files.createDirectories(folder);
        new DecoderFolder(size, seed).write(folder);
        Files.writeString(folder.resolve("genai_config.json"), """
            {"model": {"context_length": %d, "eos_token_id": %d, "decoder": {"filename": "%s"}}}
            """.formatted(size.context(), size.words(), MODEL));
    }

    private void write(Path folder) {
        Value ids = input("input_ids", ElementType.INT64, batch(), Dim.symbol("sequence_length"));
        Value mask = input("attention_mask", ElementType.INT64, batch(), Dim.symbol("total_sequence_length"));
        Value sum = onnx("ReduceSum", Attributes.of("keepdims", Attribute.of(0)), mask, longs(1));
        Value last = int32(onnx("Sub", Attributes.NONE, sum, longs(1)));
        Value total = int32(onnx("Gather", Attributes.NONE, onnx("Shape", Attributes.NONE, mask), longs(1)));
        Value[] lengths = {last, total, angles("cos"), angles("sin")};
        Value skip = onnx("Gather", Attributes.NONE, floats("embedding", 1, size.words(), size.hidden()), ids);
        Value x = onnx("SimplifiedLayerNormalization", norm(), skip, floats("norm", 1, size.hidden()));
        for (int layer = 0; layer < size.layers(); layer++) {
            Value mixed = attention(layer, x, lengths);
            List<Value> sums = skipped(skip, product(mixed, size.heads() * size.depth(), size.hidden()));
            skip = sums.get(1);
            sums = skipped(skip, gated(sums.getFirst()));
            x = sums.getFirst();
            skip = sums.get(1);
        }
        editor.addOutput("logits", product(x, size.hidden(), size.words()));
        for (int layer = 0; layer < size.layers(); layer++) {
            editor.addOutput("present." + layer + ".key", presents.get(2 * layer));
            editor.addOutput("present." + layer + ".value", presents.get(2 * layer + 1));
        }
        var header = new Model.Header(10, "millrace", "1", "", 1, "");
        Map<String, Integer> opsets = Map.of(OpId.ONNX, OPSET, OpId.MICROSOFT, 1);
        Models.write(
                new Model(header, opsets, Map.of(), Map.of(), editor.graph(), null),
                folder.resolve(MODEL),
                WriteOptions.externalData(MODEL + ".data"));
    }

    private static Dim batch() {
        return Dim.symbol("batch_size");
    }

    private Value input(String name, ElementType type, Dim... dims) {
        return editor.addInput(name, ValueType.tensor(type, SymbolicShape.of(dims)));
    }

    private Value onnx(String op, Attributes attributes, Value... inputs) {
        return nodes(new OpId(OpId.ONNX, op), OPSET, 1, attributes, inputs).getFirst();
    }

    private List<Value> nodes(OpId op, int opset, int outputs, Attributes attributes, @Nullable Value... inputs) {
        String name = op.name() + nodes++;
        String[] names = new String[outputs];
        Arrays.setAll(names, i -> name + "_" + i);
        NodeSpec spec = NodeSpec.of(op, opset, inputs).named(name).with(attributes);
        return editor.append(spec, Arrays.asList(names)).outputs().stream()
                .map(Value.class::cast)
                .toList();
    }

    private static Attributes norm() {
        return Attributes.of("epsilon", Attribute.of(EPSILON)).with("axis", Attribute.of(-1));
    }

    private Value longs(long... values) {
        return editor.addConstant("longs" + nodes++, Tensor.copyOf(values, values.length));
    }

    private Value int32(Value value) {
        return onnx("Cast", Attributes.of("to", Attribute.of(ElementType.INT32.code())), value);
    }

    /** Returns the sum, normalised, and the sum itself. */
    private List<Value> skipped(Value skip, Value x) {
        List<Value> made = nodes(
                new OpId(OpId.MICROSOFT, "SkipSimplifiedLayerNormalization"),
                1,
                4,
                Attributes.of("epsilon", Attribute.of(EPSILON)),
                skip,
                x,
                floats("norm", 1, size.hidden()));
        return List.of(made.getFirst(), made.get(3));
    }

    private Value attention(int layer, Value x, Value... lengths) {
        int width = size.heads() * size.depth() + 2 * size.keyWidth();
        Dim[] cache = {batch(), Dim.of(size.keyHeads()), Dim.symbol("past_sequence_length"), Dim.of(size.depth())};
        String past = "past_key_values." + layer;
        Value keys = input(past + ".key", ElementType.FLOAT, cache);
        Value values = input(past + ".value", ElementType.FLOAT, cache);
        List<Value> made = nodes(
                new OpId(OpId.MICROSOFT, "GroupQueryAttention"),
                1,
                3,
                Attributes.of("num_heads", Attribute.of(size.heads()))
                        .with("kv_num_heads", Attribute.of(size.keyHeads()))
                        .with("do_rotary", Attribute.of(1)),
                product(x, size.hidden(), width),
                null,
                null,
                keys,
                values,
                lengths[0],
                lengths[1],
                lengths[2],
                lengths[3]);
        presents.addAll(made.subList(1, 3));
        return made.getFirst();
    }

    private Value gated(Value x) {
        Value gate = product(x, size.hidden(), size.inner());
        Value open = onnx("Mul", Attributes.NONE, gate, onnx("Sigmoid", Attributes.NONE, gate));
        Value up = product(x, size.hidden(), size.inner());
        return product(onnx("Mul", Attributes.NONE, open, up), size.inner(), size.hidden());
    }

    private Value product(Value x, int in, int out) {
        double scale = 1 / (SPREAD * Math.sqrt(in));
        Value weight = editor.addConstant("weight" + nodes, nibbles(out, in / BLOCK, BLOCK / 2));
        Value scales = between("scales", 0.8 * scale, 1.2 * scale, (long) out * (in / BLOCK));
        Attributes attributes = Attributes.of("K", Attribute.of(in))
                .with("N", Attribute.of(out))
                .with("bits", Attribute.of(4))
                .with("block_size", Attribute.of(BLOCK))
                .with("accuracy_level", Attribute.of(4));
        return nodes(new OpId(OpId.MICROSOFT, "MatMulNBits"), 1, 1, attributes, x, weight, scales)
                .getFirst();
    }

    /** Returns bytes of two numbers from 1 to 15, whose mean is the zero point. */
    private Tensor nibbles(long... dims) {
        Tensor tensor = Tensor.allocate(ElementType.UINT8, Shape.of(dims));
        for (long at = 0; at < tensor.elements(); at++) {
            int bits = random.nextInt(256);
            int low = bits % 16 == 0 ? 8 : bits % 16;
            int high = bits < 16 ? 8 : bits / 16;
            tensor.segment().set(ValueLayout.JAVA_BYTE, at, (byte) (16 * high + low));
        }
        return tensor;
    }

    private Value floats(String name, double deviation, long... dims) {
        return name.equals("norm")
                ? between(name, 0.8, 1.2, dims)
                : between(name, -1.7 * deviation, 1.7 * deviation, dims);
    }

    private Value between(String name, double least, double most, long... dims) {
        Tensor tensor = Tensor.allocate(ElementType.FLOAT, Shape.of(dims));
        for (long at = 0; at < tensor.elements(); at++) {
            tensor.segment().setAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, at, (float) random.nextDouble(least, most));
        }
        return editor.addConstant(name + nodes++, tensor);
    }

    private Value angles(String function) {
        int pairs = size.depth() / 2;
        float[] table = new float[size.context() * pairs];
        for (int at = 0; at < table.length; at++) {
            double angle = at / pairs * Math.pow(POSITION_BASE, -2.0 * (at % pairs) / size.depth());
            table[at] = (float) (function.equals("cos") ? Math.cos(angle) : Math.sin(angle));
        }
        return editor.addConstant(function, Tensor.copyOf(table, size.context(), pairs));
    }
}
