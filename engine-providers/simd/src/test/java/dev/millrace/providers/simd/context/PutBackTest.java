package dev.millrace.providers.simd.context;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.simd.weights.Layout;
import dev.millrace.providers.simd.weights.PackedWeights;
import dev.millrace.providers.simd.weights.UnpackingMap;
import dev.millrace.providers.simd.weights.Usage;
import dev.millrace.providers.simd.weights.Weights;
import dev.millrace.providers.spi.PackedTensors;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Constants that were kept packed only are put back for other vectors. */
class PutBackTest {
    private static final int ROWS = 11;
    private static final int COLUMNS = 43;
    private static final int WIDE = 16;
    private static final int ROUNDS = 3_000;

    private final Tensor matrix = Tensor.copyOf(floats(ROWS * COLUMNS), ROWS, COLUMNS);
    private final Tensor bias = Tensor.copyOf(floats(COLUMNS), COLUMNS);
    private final Graph graph = Graph.named("g");
    private final Usage usage = new Usage();
    private final Weights weights = new Weights(new PackedTensors()).observedBy(usage);

    PutBackTest() {
        var editor = new GraphEditor(graph);
        editor.addConstant("w", matrix);
        editor.addConstant("b", bias);
        weights.own(graph);
    }

    private static float[] floats(int count) {
        var random = new Random(count);
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            // some are equal, and some are 0
            values[i] = random.nextInt(5) - 2;
        }
        return values;
    }

    /** A bias, and then panels of columns, the last of which is as wide as what is left. */
    private void pack(float factor) {
        weights.packed(List.of(matrix, bias), Layout.forAllShapes("panels", 4L * COLUMNS * (ROWS + 1)), target -> {
            int to = 0;
            for (int column = 0; column < COLUMNS; column++) {
                set(target, to++, get(weights.plain(bias), column));
            }
            for (int panel = 0; panel < COLUMNS; panel += WIDE) {
                for (int row = 0; row < ROWS; row++) {
                    for (int column = panel; column < Math.min(COLUMNS, panel + WIDE); column++) {
                        set(target, to++, factor * get(weights.plain(matrix), row * COLUMNS + column));
                    }
                }
            }
        });
    }

    private static float get(MemorySegment from, long index) {
        return from.getAtIndex(ValueLayout.JAVA_FLOAT, index);
    }

    private static void set(MemorySegment to, long index, float value) {
        to.setAtIndex(ValueLayout.JAVA_FLOAT, index, value);
    }

    private PlanImage image() {
        List<PackedWeights> packed = usage.packed();
        List<UnpackingMap> back = List.of(
                Objects.requireNonNull(usage.unpackingMap(matrix)), Objects.requireNonNull(usage.unpackingMap(bias)));
        return PlanWriter.write(new StoredPlan(graph, false, Map.of(), packed, Set.of(matrix, bias), "these", back));
    }

    private static List<@Nullable Tensor> constants(StoredPlan plan) {
        return plan.graph().constants().stream()
                .<@Nullable Tensor>map(value -> value.constant())
                .toList();
    }

    @Test
    void otherVectorsGetTheConstantsAsTheyWere() {
        pack(1);
        PlanImage image = image();
        StoredPlan read = PlanReader.read(MemorySegment.ofArray(image.plan()), image.segments(), "others");
        assertThat(Objects.requireNonNull(constants(read).get(0)).floats()).isEqualTo(matrix.floats());
        assertThat(Objects.requireNonNull(constants(read).get(1)).floats()).isEqualTo(bias.floats());
    }

    @Test
    void theSameVectorsDoWithoutThem() {
        pack(1);
        PlanImage image = image();
        StoredPlan read = PlanReader.read(MemorySegment.ofArray(image.plan()), image.segments(), "these");
        assertThat(constants(read))
                .hasSize(2)
                .allMatch(tensor -> Objects.requireNonNull(tensor).isClosed());
    }

    @Test
    void whatWasComputedHasNoWayBack() {
        pack(3);
        assertThat(usage.unpackingMap(matrix)).isNull();
        assertThat(usage.unpackingMap(bias)).isNotNull();
    }

    @Test
    void waysThatWereDamagedLeadNowhereElse() {
        pack(1);
        PlanImage image = image();
        int refused = 0;
        for (int seed = 0; seed < ROUNDS; seed++) {
            var random = new Random(seed);
            byte[] plan = image.plan().clone();
            plan[random.nextInt(plan.length)] = (byte) random.nextInt(256);
            try {
                PlanReader.read(MemorySegment.ofArray(plan), image.segments(), "others");
            } catch (EngineException e) {
                refused++;
            }
        }
        assertThat(refused).isBetween(ROUNDS / 4, ROUNDS);
    }
}
