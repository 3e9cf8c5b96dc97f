package dev.millrace.bench.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.bench.sweep.SweepRow.Outcome;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class ScalingTest {
    private static final long ELEMENTS = 100_000;

    private static Tensor floats(long... dims) {
        return Tensor.allocate(ElementType.FLOAT, Shape.of(dims));
    }

    private static List<String> ways(Tensor... inputs) {
        return new Scaling(List.of(inputs), ELEMENTS)
                .ways().stream()
                        .map(way -> String.join(
                                " ", way.stream().map(Arrays::toString).toList()))
                        .toList();
    }

    @Test
    void theFirstWayMakesAllExtentsGrowAlikeButThoseThatAreBroadcast() {
        assertThat(ways(floats(3, 4, 5), floats(1, 5)).getFirst()).isEqualTo("[39, 52, 65] [1, 65]");
    }

    @Test
    void laterWaysMakeSingleExtentsGrowWhereverTheyStand() {
        assertThat(ways(floats(2, 3), floats(3, 7))).contains("[2, 21426] [21426, 7]");
    }

    @Test
    void rowsOfLongIntegersStayUntilNothingElseHelps() {
        Tensor axes = Tensor.copyOf(new long[] {0, 1}, 2);
        List<String> ways = ways(floats(10, 10), axes);
        assertThat(ways.getFirst()).isEqualTo("[380, 380] [2]");
        assertThat(ways.getLast()).doesNotContain(" [2]");
    }

    @Test
    void noWayLeavesTheLargestInputSmallOrMakesItHuge() {
        for (List<long[]> way : new Scaling(List.of(floats(1, 3, 32, 32), floats(8, 3, 3, 3)), ELEMENTS).ways()) {
            long largest = way.stream()
                    .mapToLong(dims -> Arrays.stream(dims).reduce(1, (a, b) -> a * b))
                    .max()
                    .orElseThrow();
            assertThat(largest).isBetween(ELEMENTS / 4, ELEMENTS * 3 / 2);
        }
    }

    @Test
    void scalarsAndEmptyTensorsDoNotGrow() {
        assertThat(ways(floats())).isEmpty();
        assertThat(ways(floats(0, 0))).isEmpty();
    }

    @Test
    void aScaledInputRepeatsItsDataAlongEachAxis() {
        Tensor original = Tensor.copyOf(new float[] {1, 2, 3, 4}, 2, 2);
        assertThat(ScaledCase.repeated(original, 2, 4).floats()).containsExactly(1, 2, 1, 2, 3, 4, 3, 4);
        assertThat(ScaledCase.repeated(original, 4, 2).floats()).containsExactly(1, 2, 3, 4, 1, 2, 3, 4);
    }

    @Test
    void rowsComeBackFromTheirLines() {
        var row = new SweepRow("test_a", "Add", "2x3 4", Outcome.MEASURED, 1.5, 3.0, 2.0, "");
        assertThat(SweepRow.ofLine(row.toLine())).isEqualTo(row);
        SweepRow refused = SweepRow.unmeasured("test_b", "", "", Outcome.PEER_REFUSED, "no\tsuch\nthing");
        assertThat(SweepRow.ofLine(refused.toLine()).note()).isEqualTo("no such thing");
    }
}
