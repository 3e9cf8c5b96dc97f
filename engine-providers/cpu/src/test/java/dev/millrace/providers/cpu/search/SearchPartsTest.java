package dev.millrace.providers.cpu.search;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.millrace.graph.tensor.Tensor;
import org.junit.jupiter.api.Test;

/** Tests of the parts of searches: finished sequences, random numbers and rows of words. */
class SearchPartsTest {
    private static final double RANGE = Integer.MAX_VALUE - 1.0;

    @Test
    void theBestHypothesesAreKeptByTheirScoresPerLength() {
        var best = new Hypotheses(2, 2);
        best.add(new int[] {1, 2}, -4);
        best.add(new int[] {3}, -2);
        best.add(new int[] {4, 5, 6}, -4.5f);
        best.add(new int[] {7}, -9);
        assertThat(best.get(0).words()).containsExactly(4, 5, 6);
        assertThat(best.get(0).score()).isEqualTo(-0.5f);
        assertThat(best.get(1).words()).containsExactly(1, 2);
        assertThat(best.get(1).score()).isEqualTo(-1);
    }

    @Test
    void ofEqualHypothesesTheFirstIsBetter() {
        var best = new Hypotheses(1, 0);
        best.add(new int[] {1}, -1);
        best.add(new int[] {2}, -1);
        assertThat(best.get(0).words()).containsExactly(1);
    }

    @Test
    void aSearchIsDoneWhenNothingBetterCanCome() {
        var late = new Hypotheses(2, 1);
        late.add(new int[] {1, 2}, -2);
        assertThat(late.settle(-100, 2, true)).isFalse();
        late.add(new int[] {1, 3}, -4);
        assertThat(late.settle(-3, 2, false)).isFalse();
        assertThat(late.settle(-7, 4, false)).isFalse();
        assertThat(late.isDone()).isFalse();
        assertThat(late.settle(-4, 2, false)).isTrue();
        assertThat(late.settle(-1, 2, false)).isTrue();
        var early = new Hypotheses(1, 1);
        early.add(new int[] {1}, -5);
        assertThat(early.settle(-1, 1, true)).isTrue();
        assertThat(early.isDone()).isTrue();
    }

    /** The standard of C++ gives the ten-thousandth number for the seed 1. */
    @Test
    void randomNumbersAreThoseOfTheStandard() {
        var random = new MinimalStandard(1);
        assertThat(random.nextDouble()).isCloseTo((16806 + 282475248 * RANGE) / RANGE / RANGE, within(1e-15));
        for (int i = 1; i < 4999; i++) {
            assertThat(random.nextDouble()).isBetween(0.0, Math.nextDown(1.0));
        }
        assertThat(Math.floor(random.nextDouble() * RANGE)).isEqualTo(1043618064.0);
    }

    @Test
    void theSeedsThatWouldDrawNothingButZerosDrawAsOne() {
        double first = new MinimalStandard(1).nextDouble();
        assertThat(new MinimalStandard(0).nextDouble()).isEqualTo(first);
        assertThat(new MinimalStandard(Integer.MAX_VALUE).nextDouble()).isEqualTo(first);
        assertThat(new MinimalStandard(2).nextDouble()).isNotEqualTo(first);
    }

    @Test
    void rowsOfWordsComeOfTensorsAndGoBack() {
        Tensor words = Tensor.copyOf(new int[] {1, 2, 3, 4, 5, 6}, 2, 3);
        int[][] rows = WordRows.of(words);
        assertThat(rows).isDeepEqualTo(new int[][] {{1, 2, 3}, {4, 5, 6}});
        Tensor last = WordRows.last(rows, 2);
        assertThat(last.shape().toArray()).containsExactly(2, 2);
        assertThat(last.ints()).containsExactly(2, 3, 5, 6);
        assertThat(WordRows.sources(new int[] {0, 1, 2, 5}, 2)).containsExactly(0, 0, 1, 2);
    }
}
