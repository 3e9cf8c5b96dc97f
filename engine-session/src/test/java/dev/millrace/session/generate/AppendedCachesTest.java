package dev.millrace.session.generate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.millrace.epcontext.cache.ContextCache;
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
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.testkit.RandomTensors;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import dev.millrace.session.request.CacheRoom;
import dev.millrace.session.request.GrowingCaches;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class AppendedCachesTest {
    private static final int OPSET = 23;
    private static final int HEADS = 4;
    private static final int KEY_HEADS = 2;
    private static final int DEPTH = 32;
    private static final int ROOM = 512;
    private static final String MASK = GrowingCaches.MASK.name();
    private static final String KEYS = "past.key";
    private static final String VALUES = "past.value";

    /** The form of a graph. */
    enum Form {
        /** Concat makes the caches, which plain operators read. */
        CONCAT,
        /** Plain operators read caches of fewer heads than queries have, and the mask follows from the length of the past. */
        REPEATED,
        /** Attention with a mask, whose operands are by place. */
        FLAT,
        /** Attention with a mask, whose operands are by head. */
        BY_HEAD,
        /** Causal Attention with a mask. */
        CAUSAL
    }

    @AutoClose
    private final Engine engine =
            Engine.create(EngineOptions.builder().threads(1).build());

    private final Random random = new Random(31);

    @TempDir
    private Path folder;

    /** A graph under construction. */
    private static final class Builder {
        private final GraphEditor editor = new GraphEditor(Graph.named("attention"));
        private int constants;

        Value input(String name, ElementType type, Dim... dims) {
            return editor.addInput(name, ValueType.tensor(type, SymbolicShape.of(dims)));
        }

        private Value cache(String name) {
            return input(
                    name, ElementType.FLOAT, Dim.symbol("batch"), Dim.of(KEY_HEADS), Dim.symbol("past"), Dim.of(DEPTH));
        }

        private Value byPlace(String name, long heads) {
            return input(name, ElementType.FLOAT, Dim.symbol("batch"), Dim.symbol("now"), Dim.of(heads * DEPTH));
        }

        private Value byHead(String name, long heads) {
            return input(name, ElementType.FLOAT, Dim.symbol("batch"), Dim.of(heads), Dim.symbol("now"), Dim.of(DEPTH));
        }

        private Value node(String op, Attributes attributes, Value... inputs) {
            NodeSpec spec = NodeSpec.of(OpId.onnx(op), OPSET, inputs).with(attributes);
            return editor.append(spec, List.of(op + editor.graph().nodeCount())).requireOutput(0);
        }

        private void output(String name, Value value) {
            editor.addOutput(name, value);
        }

        Graph graph(Form form) {
            input("input_ids", ElementType.INT64, Dim.symbol("batch"), Dim.symbol("now"));
            Value mask = input("mask", ElementType.FLOAT, Dim.symbol("now"), Dim.symbol("all"));
            boolean isFlat = form == Form.FLAT || form == Form.CAUSAL;
            long heads = form == Form.CONCAT ? KEY_HEADS : HEADS;
            Value q = isFlat ? byPlace("q", heads) : byHead("q", heads);
            Value x = isFlat ? byPlace("x", KEY_HEADS) : byHead("x", KEY_HEADS);
            if (form == Form.CONCAT) {
                concat(q, x, mask);
                return editor.graph();
            }
            if (form == Form.REPEATED) {
                repeated(q, x);
                return editor.graph();
            }
            Attributes attributes = Attributes.of("is_causal", Attribute.of(form == Form.CAUSAL ? 1L : 0L));
            NodeSpec spec = NodeSpec.of(OpId.onnx("Attention"), OPSET, q, x, x, mask, cache(KEYS), cache(VALUES))
                    .with(attributes);
            if (isFlat) {
                spec = spec.with("q_num_heads", Attribute.of(heads))
                        .with("kv_num_heads", Attribute.of((long) KEY_HEADS));
            }
            var node = editor.append(spec, List.of("y", "present.key", "present.value"));
            for (int i = 0; i < 3; i++) {
                output(node.requireOutput(i).name(), node.requireOutput(i));
            }
            return editor.graph();
        }

        private void concat(Value q, Value x, Value mask) {
            Attributes steps = Attributes.of("axis", Attribute.of(2L));
            Value keys = node("Concat", steps, cache(KEYS), x);
            Value values = node("Concat", steps, cache(VALUES), x);
            Value across = node("Transpose", Attributes.of("perm", Attribute.of(0, 1, 3, 2)), keys);
            Value scores = node("Add", Attributes.NONE, node("MatMul", Attributes.NONE, q, across), mask);
            Value shares = node("Softmax", Attributes.of("axis", Attribute.of(-1L)), scores);
            output("y", node("MatMul", Attributes.NONE, shares, values));
            output("present.key", keys);
            output("present.value", values);
        }

        /** The form of a Llama that a tracing exporter writes. */
        private void repeated(Value q, Value x) {
            Attributes steps = Attributes.of("axis", Attribute.of(2L));
            Value past = cache(KEYS);
            Value keys = node("Concat", steps, past, x);
            Value values = node("Concat", steps, cache(VALUES), x);
            Value before = extent(past);
            Value all = node("Add", Attributes.NONE, before, extent(x));
            Value places = node("Range", Attributes.NONE, number(0), all, number(1));
            Value own = node("Range", Attributes.NONE, before, all, number(1));
            Value seen = node(
                    "LessOrEqual",
                    Attributes.NONE,
                    places,
                    node("Unsqueeze", Attributes.NONE, own, constant(Tensor.copyOf(new long[] {1}, 1))));
            Value bias = node(
                    "Where",
                    Attributes.NONE,
                    seen,
                    constant(Tensor.scalar(0f)),
                    constant(Tensor.scalar(-Float.MAX_VALUE)));
            Value across = node("Transpose", Attributes.of("perm", Attribute.of(0, 1, 3, 2)), shared(keys));
            Value masked = node(
                    "Add",
                    Attributes.NONE,
                    node("MatMul", Attributes.NONE, q, across),
                    node("Unsqueeze", Attributes.NONE, bias, constant(Tensor.copyOf(new long[] {0, 1}, 2))));
            Value shares = node("Softmax", Attributes.of("axis", Attribute.of(-1L)), masked);
            output("y", node("MatMul", Attributes.NONE, shares, shared(values)));
            output("present.key", keys);
            output("present.value", values);
        }

        private Value extent(Value cache) {
            return node("Gather", Attributes.NONE, node("Shape", Attributes.NONE, cache), number(2));
        }

        private Value number(long value) {
            return constant(Tensor.scalar(value));
        }

        private Value constant(Tensor tensor) {
            return editor.addConstant("constant" + constants++, tensor);
        }

        /** Returns rows that are repeated for all queries of a group. */
        private Value shared(Value rows) {
            long[] group = {1, 1, HEADS / KEY_HEADS, 1, 1};
            Value apart = node("Unsqueeze", Attributes.NONE, rows, constant(Tensor.copyOf(new long[] {2}, 1)));
            Value repeated = node("Expand", Attributes.NONE, apart, constant(Tensor.copyOf(group, 5)));
            Value batch = node("Shape", Attributes.of("end", Attribute.of(1L)), rows);
            Value rest = constant(Tensor.copyOf(new long[] {HEADS, -1, DEPTH}, 3));
            Value extents = node("Concat", Attributes.of("axis", Attribute.of(0L)), batch, rest);
            return node("Reshape", Attributes.NONE, repeated, extents);
        }

        byte[] bytes(Form form) {
            return Models.toBytes(new Model(
                    new Model.Header(10, "test", "1", "", 1, ""),
                    Map.of(OpId.ONNX, OPSET),
                    Map.of(),
                    Map.of(),
                    graph(form),
                    null));
        }
    }

    private static Stream<Arguments> sessions() {
        return Stream.of(Form.values()).flatMap(form -> Stream.of("simd", "cpu").map(name -> Arguments.of(form, name)));
    }

    private Session session(Form form, String provider) {
        SessionOptions.Builder options = SessionOptions.builder().provider(provider);
        return engine.session(
                new Builder().bytes(form),
                provider.equals("cpu")
                        ? options.build()
                        : options.provider("cpu").build());
    }

    /** A session whose graph is as it was read, since a cache keeps it. */
    private Session plain(Form form) {
        return engine.session(
                new Builder().bytes(form),
                SessionOptions.builder()
                        .provider("cpu")
                        .contextCache(ContextCache.in(folder))
                        .build());
    }

    private Tensor floats(long... dims) {
        return RandomTensors.uniform(random, -1, 1, dims);
    }

    private Inputs rows(Form form, int now, int all) {
        boolean isFlat = form == Form.FLAT || form == Form.CAUSAL;
        long heads = form == Form.CONCAT ? KEY_HEADS : HEADS;
        return Inputs.of("q", isFlat ? floats(2, now, heads * DEPTH) : floats(2, heads, now, DEPTH))
                .and("x", isFlat ? floats(2, now, KEY_HEADS * DEPTH) : floats(2, KEY_HEADS, now, DEPTH))
                .and("input_ids", Tensor.allocate(ElementType.INT64, Shape.of(2, now)))
                .and("mask", floats(now, all));
    }

    private Tensor cache(int steps) {
        return floats(2, KEY_HEADS, steps, DEPTH);
    }

    private static Tensor mask(int count) {
        long[] ones = new long[2 * ROOM];
        Arrays.fill(ones, 0, count, 1);
        Arrays.fill(ones, ROOM, ROOM + count, 1);
        return Tensor.copyOf(ones, 2, ROOM);
    }

    private static Tensor first(Tensor cache, int steps) {
        float[] all = cache.floats();
        int room = Math.toIntExact(cache.shape().dim(2));
        float[] some = new float[2 * KEY_HEADS * steps * DEPTH];
        for (int head = 0; head < 2 * KEY_HEADS; head++) {
            System.arraycopy(all, head * room * DEPTH, some, head * steps * DEPTH, steps * DEPTH);
        }
        return Tensor.copyOf(some, 2, KEY_HEADS, steps, DEPTH);
    }

    private static void assertSame(Tensor actual, Tensor expected) {
        assertThat(actual.shape()).isEqualTo(expected.shape());
        assertThat(actual.floats()).containsExactly(expected.floats(), within(1e-5f));
    }

    @ParameterizedTest
    @MethodSource("sessions")
    void withoutTheMaskAllStepsAreValid(Form form, String provider) {
        try (Session session = session(form, provider);
                Session plain = plain(form)) {
            for (int past : new int[] {0, 1, 9}) {
                Inputs inputs = rows(form, 3, past + 3).and(KEYS, cache(past)).and(VALUES, cache(past));
                Outputs outputs = session.run(inputs);
                Outputs expected = plain.run(inputs);
                for (String name : List.of("present.key", "present.value", "y")) {
                    assertSame(outputs.get(name), expected.get(name));
                }
            }
        }
    }

    /** Nothing but the new steps is written, which is why the memory copied does not depend on the steps before. */
    @ParameterizedTest
    @MethodSource("sessions")
    void withTheMaskOnlyTheNewStepsOfDonatedCachesAreWritten(Form form, String provider) {
        try (Session session = session(form, provider);
                Session plain = plain(form)) {
            for (int now : new int[] {1, 2}) {
                Tensor keys = cache(ROOM);
                Tensor values = cache(ROOM);
                Tensor before = Tensor.copyOf(keys);
                Inputs rows = rows(form, now, 7 + now);
                Outputs expected =
                        plain.run(rows.snapshot().and(KEYS, first(keys, 7)).and(VALUES, first(values, 7)));
                Outputs copied = session.run(rows.snapshot()
                        .and(MASK, mask(7 + now))
                        .and(KEYS, Tensor.copyOf(keys))
                        .and(VALUES, Tensor.copyOf(values)));
                Outputs inPlace = session.run(
                        rows.and(MASK, mask(7 + now)).donate(KEYS, keys).donate(VALUES, values));
                assertThat(inPlace.get("present.key")).isSameAs(keys);
                assertThat(inPlace.get("present.value")).isSameAs(values);
                assertSame(inPlace.get("y"), expected.get("y"));
                assertThat(inPlace.get("y").floats())
                        .containsExactly(copied.get("y").floats());
                assertSame(first(keys, 7 + now), expected.get("present.key"));
                assertSame(first(values, 7 + now), expected.get("present.value"));
                assertThat(after(keys, 7 + now)).containsExactly(after(before, 7 + now));
            }
        }
    }

    /** Returns the steps from one on. */
    private static float[] after(Tensor cache, int from) {
        float[] all = cache.floats();
        float[] rest = new float[2 * KEY_HEADS * (ROOM - from) * DEPTH];
        for (int head = 0; head < 2 * KEY_HEADS; head++) {
            int count = (ROOM - from) * DEPTH;
            System.arraycopy(all, (head * ROOM + from) * DEPTH, rest, head * count, count);
        }
        return rest;
    }

    @Test
    void allCachesGetRoomOrNone() {
        var expected = new CacheRoom(MASK, Map.of(KEYS, "present.key", VALUES, "present.value"), false);
        for (Form form : Form.values()) {
            assertThat(GrowingCaches.giveRoom(new Builder().graph(form)))
                    .as(form.name())
                    .isEqualTo(expected);
            var other = new Builder();
            other.input("past.state", ElementType.FLOAT, Dim.of(1), Dim.of(4));
            assertThat(GrowingCaches.giveRoom(other.graph(form)))
                    .as(form.name())
                    .isEqualTo(CacheRoom.NONE);
        }
    }
}
