package dev.millrace.providers.simd.context;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Plans that were damaged, made for another machine, or lie beside other segments than their own. */
class DamagedPlanTest {
    private static final int FLIPS = 3_000;

    private final Random random = new Random(5);
    private final KeptPartition transformer = new KeptPartition(Nets.transformer());
    private final List<Tensor> words = List.of(Tensor.copyOf(new long[] {1, 3, 5, 7, 9, 11}, 2, 3));

    private static void assertInvalid(KeptPartition kept, String... words) {
        assertThatThrownBy(kept::resolve)
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(Status.INVALID_GRAPH))
                .hasMessageContaining("partition 'kept'")
                .hasMessageContainingAll(words);
    }

    @Test
    void aPlanThatWasCutOffIsRefused() {
        byte[] whole = transformer.plan;
        for (int length = 0; length < whole.length; length++) {
            transformer.plan = Arrays.copyOf(whole, length);
            assertInvalid(transformer, "plan");
        }
        transformer.plan = Arrays.copyOf(whole, whole.length + 1);
        assertInvalid(transformer, "left at its end");
    }

    @Test
    void damageOfATransformerIsRefusedOrHarmless() {
        assertThat(refused(transformer, words)).isBetween(FLIPS / 5, FLIPS - 1);
    }

    @Test
    void damageOfAConvolutionalNetIsRefusedOrHarmless() {
        var net = new KeptPartition(Nets.convolutions(Dim.symbol("height"), Dim.symbol("width")));
        assertThat(refused(net, List.of(Nets.random(random, 1, 3, 9, 8)))).isBetween(FLIPS / 5, FLIPS - 1);
    }

    /** How many of many damages are noticed. */
    private int refused(KeptPartition kept, List<Tensor> inputs) {
        byte[] whole = kept.plan;
        int refused = 0;
        for (int i = 0; i < FLIPS; i++) {
            kept.plan = whole.clone();
            int at = random.nextInt(whole.length);
            kept.plan[at] ^= (byte) (i % 2 == 0 ? 1 << random.nextInt(8) : 1 + random.nextInt(255));
            try {
                kept.runResolved(inputs);
            } catch (EngineException e) {
                refused++;
            } catch (RuntimeException | Error e) {
                throw new AssertionError("damage of byte " + at + " to " + kept.plan[at], e);
            }
        }
        return refused;
    }

    @Test
    void anotherVersionIsRefusedByItsNumber() {
        transformer.plan[4] = 9;
        assertInvalid(transformer, "version 9");
    }

    @Test
    void segmentsThatAreMissingOrTooShortAreRefused() {
        var all = List.copyOf(transformer.segments);
        for (int i = 0; i < all.size(); i++) {
            transformer.segments = new ArrayList<>(all);
            transformer.segments.set(i, all.get(i).asSlice(0, all.get(i).byteSize() / 2 / 64 * 64));
            assertInvalid(transformer, "bytes at");
        }
        transformer.segments = new ArrayList<>(all.subList(0, all.size() - 1));
        assertInvalid(transformer, "segment");
    }

    /** Gives all layouts another name, as another machine would. */
    private static void renameLayouts(KeptPartition kept, String part) {
        byte[] name = part.getBytes(StandardCharsets.UTF_8);
        int found = 0;
        for (int i = 0; i + name.length <= kept.plan.length; i++) {
            if (Arrays.equals(kept.plan, i, i + name.length, name, 0, name.length)) {
                kept.plan[i] ^= 1;
                found++;
            }
        }
        assertThat(found).isPositive();
    }

    @Test
    void weightsInAnotherLayoutArePackedAgainWhereTheyWereKeptAsTheyWere() {
        var net = new KeptPartition(Nets.convolutions(Dim.symbol("height"), Dim.symbol("width")));
        renameLayouts(net, "winograd");
        List<Tensor> images = List.of(Nets.random(random, 1, 3, 224, 224));
        assertThat(net.runResolved(images).getFirst().floats())
                .isEqualTo(net.runCompiled(images).getFirst().floats());
    }

    @Test
    void weightsInAnotherLayoutThatWereKeptInNoOtherAreRefused() {
        var net = new KeptPartition(Nets.convolutions(Dim.of(24), Dim.of(24)));
        renameLayouts(net, "conv");
        assertThatThrownBy(() -> net.runResolved(List.of(Nets.random(random, 1, 3, 24, 24))))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(Status.INVALID_GRAPH))
                .hasMessageContainingAll("partition 'kept'", "compile the source model again");
    }

    @Test
    void aNodeWithOtherInputsThanThePartitionHadIsRefused() {
        assertThatThrownBy(() -> transformer.resolve(context())).hasMessageContaining("0 inputs and 2 outputs");
        assertThatThrownBy(() -> transformer.resolve(context(ValueType.tensor(ElementType.FLOAT))))
                .hasMessageContaining("compiled as int64");
        assertThatThrownBy(() -> transformer.resolve(context(ValueType.tensor(ElementType.INT64, Shape.of(4)))))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(Status.INVALID_GRAPH));
    }

    private Graph context(ValueType... types) {
        Graph graph = Graph.named("context");
        var editor = new GraphEditor(graph);
        var inputs = new ArrayList<@Nullable Value>();
        for (ValueType type : types) {
            inputs.add(editor.addInput("x", type));
        }
        transformer.addContext(editor, inputs);
        return graph;
    }
}
