package dev.millrace.providers.cpu.select;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.cpu.OneNode;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class DistinctTest {
    private static OneNode unique() {
        return OneNode.onnx("Unique", 11).outputs(4);
    }

    private static long[] longs(List<Datum> results, int index) {
        return ((Tensor) results.get(index)).longs();
    }

    @Test
    void zerosAreOneAndSoAreNumbersThatAreNone() {
        float other = Float.intBitsToFloat(0x7fc00001);
        Tensor in = Tensor.copyOf(new float[] {Float.NaN, 0f, 2, -0f, other, -1}, 6);
        List<Datum> results = unique().runAll(in);
        assertThat(((Tensor) results.get(0)).floats()).containsExactly(-1, 0, 2, Float.NaN);
        assertThat(longs(results, 1)).containsExactly(5, 1, 2, 0);
        assertThat(longs(results, 2)).containsExactly(3, 1, 2, 1, 3, 0);
        assertThat(longs(results, 3)).containsExactly(1, 2, 1, 2);
    }

    @Test
    void unsortedOnesStandInTheOrderOfTheirFirstPlaces() {
        List<Datum> results = unique().with("sorted", 0).runAll(Tensor.copyOf(new long[] {7, -3, 7, 5000, -3}, 5));
        assertThat(longs(results, 0)).containsExactly(7, -3, 5000);
        assertThat(longs(results, 1)).containsExactly(0, 1, 3);
        assertThat(longs(results, 2)).containsExactly(0, 1, 0, 2, 1);
        assertThat(longs(results, 3)).containsExactly(2, 2, 1);
    }

    @Test
    void manyDistinctNumbersComeSorted() {
        long[] numbers = new Random(1).longs(5000).toArray();
        List<Datum> results = unique().runAll(Tensor.copyOf(numbers, 50, 100));
        long[] sorted = Arrays.stream(numbers).sorted().distinct().toArray();
        assertThat(longs(results, 0)).isEqualTo(sorted);
        long[] places = longs(results, 2);
        for (int i = 0; i < numbers.length; i++) {
            assertThat(sorted[(int) places[i]]).isEqualTo(numbers[i]);
        }
    }

    @Test
    void floatsComeInTheirOrder() {
        float least = Float.MIN_VALUE;
        float nan = Float.intBitsToFloat(0xffc00001);
        float[] numbers = {
            nan, 1, -0f, Float.POSITIVE_INFINITY, 0, -least, least, -1e30f, Float.NaN, -Float.MAX_VALUE, 1
        };
        List<Datum> results = unique().runAll(Tensor.copyOf(numbers, numbers.length));
        assertThat(((Tensor) results.getFirst()).floats())
                .containsExactly(-Float.MAX_VALUE, -1e30f, -least, -0f, least, 1, Float.POSITIVE_INFINITY, Float.NaN);
        assertThat(longs(results, 2)).containsExactly(7, 5, 3, 6, 3, 2, 4, 1, 7, 0, 5);
    }

    /**
     * Slices with the same hash: an odd factor of the hash in an element makes that of the first slice equal to that of
     * the second.
     */
    @Test
    void slicesOfOneHashAreToldApart() {
        long factor = 0x9e3779b97f4a7c15L;
        Tensor in = Tensor.copyOf(new long[] {1, 0, 0, factor, 1, 0, 0, factor + 1}, 4, 2);
        List<Datum> results = unique().with("axis", 0).with("sorted", 0).runAll(in);
        assertThat(longs(results, 0)).containsExactly(1, 0, 0, factor, 0, factor + 1);
        assertThat(longs(results, 2)).containsExactly(0, 1, 0, 2);
        Tensor upright = Tensor.copyOf(new long[] {1, 0, 1, 0, 0, factor, 0, factor + 1}, 2, 4);
        List<Datum> columns = unique().with("axis", 1).with("sorted", 0).runAll(upright);
        assertThat(longs(columns, 0)).containsExactly(1, 0, 0, 0, factor, factor + 1);
        assertThat(longs(columns, 2)).containsExactly(0, 1, 0, 2);
    }

    @Test
    void slicesAlongTheLastAxisAreOrderedByTheirElements() {
        Tensor in = Tensor.copyOf(new float[] {2, 1, 2, 1, 5, 0, 5, 7}, 2, 4);
        List<Datum> results = unique().with("axis", -1).runAll(in);
        Tensor cut = (Tensor) results.getFirst();
        assertThat(cut.shape()).isEqualTo(Shape.of(2, 3));
        assertThat(cut.floats()).containsExactly(1, 1, 2, 0, 7, 5);
        assertThat(longs(results, 1)).containsExactly(1, 3, 0);
        assertThat(longs(results, 2)).containsExactly(2, 0, 2, 1);
    }

    @Test
    void textsAndNothingHaveDistinctOnes() {
        Tensor texts = Tensor.ofStrings(Shape.of(4), "b", "", "b", "a");
        List<Datum> results = unique().runAll(texts);
        assertThat(((Tensor) results.getFirst()).strings()).containsExactly("", "a", "b");
        assertThat(longs(results, 2)).containsExactly(2, 0, 2, 1);
        List<Datum> none = unique().with("axis", 1).runAll(Tensor.copyOf(new float[0], 3, 0, 2));
        assertThat(((Tensor) none.getFirst()).shape()).isEqualTo(Shape.of(3, 0, 2));
    }
}
