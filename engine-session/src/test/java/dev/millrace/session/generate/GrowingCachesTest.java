package dev.millrace.session.generate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.millrace.epcontext.cache.ContextCache;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.Node;
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
import dev.millrace.session.ValueInfo;
import dev.millrace.session.request.CacheRoom;
import dev.millrace.session.request.GrowingCaches;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GrowingCachesTest {
    private static final int OPSET = 23;
    private static final int HEADS = 4;
    private static final int KEY_HEADS = 2;
    private static final int DEPTH = 8;
    private static final int ROOM = 32;
    private static final String MASK = GrowingCaches.MASK.name();

    @AutoClose
    private final Engine engine =
            Engine.create(EngineOptions.builder().threads(1).build());

    private final Random random = new Random(31);

    @TempDir
    private Path folder;

    /** One attention of a batch, whose caches are {@code k} and {@code v}. */
    private static Graph graph(boolean causal) {
        Graph graph = Graph.named("attention");
        var editor = new GraphEditor(graph);
        Value q = rows(editor, "q", HEADS);
        Value x = rows(editor, "x", KEY_HEADS);
        NodeSpec spec = NodeSpec.of(
                        OpId.onnx("Attention"), OPSET, q, x, x, null, cache(editor, "k"), cache(editor, "v"))
                .with("is_causal", Attribute.of(causal ? 1L : 0L))
                .with("q_num_heads", Attribute.of((long) HEADS))
                .with("kv_num_heads", Attribute.of((long) KEY_HEADS));
        Node node = editor.append(spec, List.of("y", "k_out", "v_out"));
        for (int i = 0; i < 3; i++) {
            editor.addOutput(List.of("y", "k_out", "v_out").get(i), node.requireOutput(i));
        }
        return graph;
    }

    private static Value rows(GraphEditor editor, String name, int heads) {
        return editor.addInput(
                name,
                ValueType.tensor(
                        ElementType.FLOAT,
                        SymbolicShape.of(Dim.symbol("batch"), Dim.symbol("now"), Dim.of(heads * (long) DEPTH))));
    }

    private static Value cache(GraphEditor editor, String name) {
        return editor.addInput(
                name,
                ValueType.tensor(
                        ElementType.FLOAT,
                        SymbolicShape.of(Dim.symbol("batch"), Dim.of(KEY_HEADS), Dim.symbol("past"), Dim.of(DEPTH))));
    }

    private static byte[] bytes(boolean causal) {
        return Models.toBytes(new Model(
                new Model.Header(10, "test", "1", "", 1, ""),
                Map.of(OpId.ONNX, OPSET),
                Map.of(),
                Map.of(),
                graph(causal),
                null));
    }

    private Session session(String provider) {
        SessionOptions.Builder options = SessionOptions.builder().provider(provider);
        return engine.session(
                bytes(true),
                provider.equals("cpu")
                        ? options.build()
                        : options.provider("cpu").build());
    }

    private Tensor floats(long... dims) {
        return RandomTensors.uniform(random, -1, 1, dims);
    }

    private Tensor cache(int steps) {
        return floats(2, KEY_HEADS, steps, DEPTH);
    }

    private static Tensor mask(int... counts) {
        long[] ones = new long[counts.length * ROOM];
        for (int i = 0; i < counts.length; i++) {
            Arrays.fill(ones, i * ROOM, i * ROOM + counts[i], 1);
        }
        return Tensor.copyOf(ones, counts.length, ROOM);
    }

    @Test
    void onlyCausalAttentionWithoutMaskGetsRoom() {
        assertThat(GrowingCaches.giveRoom(graph(true)))
                .isEqualTo(new CacheRoom(MASK, Map.of("k", "k_out", "v", "v_out"), true));
        assertThat(GrowingCaches.giveRoom(graph(false))).isEqualTo(CacheRoom.NONE);
    }

    /** A session whose graph is as it was read, since a cache keeps it. */
    private Session plain() {
        return engine.session(
                bytes(true),
                SessionOptions.builder()
                        .provider("cpu")
                        .contextCache(ContextCache.in(folder))
                        .build());
    }

    private Inputs rows(int now) {
        return Inputs.of("q", floats(2, now, HEADS * DEPTH)).and("x", floats(2, now, KEY_HEADS * DEPTH));
    }

    @ParameterizedTest
    @ValueSource(strings = {"simd", "cpu"})
    void withoutTheMaskAllStepsAreValid(String provider) {
        try (Session session = session(provider);
                Session plain = plain()) {
            assertThat(session.inputs().stream().map(ValueInfo::name)).containsExactly("q", "x", "k", "v");
            for (int past : new int[] {0, 1, 9}) {
                Inputs inputs = rows(3).and("k", cache(past)).and("v", cache(past));
                Outputs outputs = session.run(inputs);
                Outputs expected = plain.run(inputs);
                assertSame(outputs.get("k_out"), expected.get("k_out"));
                assertSame(outputs.get("v_out"), expected.get("v_out"));
                assertSame(outputs.get("y"), expected.get("y"));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"simd", "cpu"})
    void withTheMaskStepsAreWrittenBehindTheValidOnes(String provider) {
        try (Session session = session(provider);
                Session plain = plain()) {
            Tensor keys = cache(ROOM);
            Tensor values = cache(ROOM);
            Tensor query = floats(2, 2, HEADS * DEPTH);
            Tensor x = floats(2, 2, KEY_HEADS * DEPTH);
            Outputs expected = plain.run(Inputs.of("q", entry(query))
                    .and("x", entry(x))
                    .and("k", first(keys, 7))
                    .and("v", first(values, 7)));
            Outputs inPlace = session.run(Inputs.of("q", query)
                    .and("x", x)
                    .and(MASK, mask(9, 5))
                    .donate("k", keys)
                    .donate("v", values));
            assertThat(inPlace.get("v_out")).isSameAs(values);
            assertSame(entry(inPlace.get("y")), expected.get("y"));
            Tensor valid = first(values, 9);
            assertSame(valid, expected.get("v_out"));
        }
    }

    /** Returns the first steps of the first entry of a batch. */
    private static Tensor first(Tensor cache, int steps) {
        return Objects.requireNonNull(
                CacheCopies.first(Map.of("cache", cache), steps, steps).get("cache"));
    }

    private static Tensor entry(Tensor batch) {
        long[] extents = batch.shape().toArray();
        extents[0] = 1;
        Tensor first = Tensor.allocate(batch.type(), Shape.of(extents));
        first.segment().copyFrom(batch.segment().asSlice(0, first.segment().byteSize()));
        return first;
    }

    @Test
    void aMaskOfAnotherTypeIsRefused() {
        try (Session session = session("cpu")) {
            Inputs inputs = rows(1).and("k", cache(4)).and("v", cache(4)).and(MASK, floats(2, 5));
            assertThatThrownBy(() -> session.run(inputs))
                    .isInstanceOf(EngineException.class)
                    .hasMessageContaining(MASK);
        }
    }

    private static void assertSame(Tensor actual, Tensor expected) {
        assertThat(actual.shape()).isEqualTo(expected.shape());
        assertThat(actual.floats()).containsExactly(expected.floats(), within(1e-5f));
    }
}
