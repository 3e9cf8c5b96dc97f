package dev.millrace.providers.cpu.move;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.cpu.OneNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class MovesTest {
    /** Elements that tell their position, as far as the type can. */
    private static Tensor counting(ElementType type, long... dims) {
        Tensor tensor = Tensor.allocate(type, Shape.of(dims));
        for (int i = 0; i < tensor.elements(); i++) {
            if (type == ElementType.STRING) {
                tensor.strings()[i] = "s" + i;
            } else if (type.kind() == ElementType.Kind.COMPLEX) {
                Elements.setDouble(type, tensor.segment(), 2L * i, i);
                Elements.setDouble(type, tensor.segment(), 2L * i + 1, -i);
            } else if (type.isFloating()) {
                Elements.setDouble(type, tensor.segment(), i, i % 7);
            } else {
                Elements.setLong(type, tensor.segment(), i, i);
            }
        }
        return tensor;
    }

    private static Object at(Tensor tensor, long index) {
        ElementType type = tensor.type();
        return type == ElementType.STRING
                ? tensor.strings()[(int) index]
                : type.kind() == ElementType.Kind.COMPLEX
                        ? List.of(
                                Elements.getDouble(type, tensor.segment(), 2 * index),
                                Elements.getDouble(type, tensor.segment(), 2 * index + 1))
                        : (Object) Elements.getDouble(type, tensor.segment(), index);
    }

    /** Checks each element of {@code actual} against the one of {@code source} that its coordinates name. */
    private static void check(Tensor actual, Tensor source, ToLongFunction<long[]> from) {
        long[] at = new long[actual.shape().rank()];
        for (long i = 0; i < actual.elements(); i++) {
            assertThat(at(actual, i)).as("element %s", Arrays.toString(at)).isEqualTo(at(source, from.applyAsLong(at)));
            for (int axis = at.length - 1;
                    axis >= 0 && ++at[axis] == actual.shape().dim(axis);
                    axis--) {
                at[axis] = 0;
            }
        }
    }

    private static Tensor longs(long... values) {
        return Tensor.copyOf(values, values.length);
    }

    @ParameterizedTest
    @EnumSource(ElementType.class)
    void transposesEveryElementTypeByEveryPermutation(ElementType type) {
        Tensor in = counting(type, 2, 3, 4, 5);
        for (long[] perm : permutations(4)) {
            Tensor out = OneNode.onnx("Transpose", 21).withAll("perm", perm).run(in);
            long[] strides = in.shape().strides();
            check(out, in, at -> {
                long place = 0;
                for (int i = 0; i < 4; i++) {
                    place += at[i] * strides[(int) perm[i]];
                }
                return place;
            });
        }
    }

    private static List<long[]> permutations(int rank) {
        List<long[]> all = new ArrayList<>();
        for (int code = 0; code < Math.pow(rank, rank); code++) {
            long[] perm = new long[rank];
            for (int i = 0, rest = code; i < rank; i++, rest /= rank) {
                perm[i] = rest % rank;
            }
            if (Arrays.stream(perm).distinct().count() == rank) {
                all.add(perm);
            }
        }
        return all;
    }

    @Test
    void transposesMatricesLargerThanATile() {
        Tensor in = counting(ElementType.FLOAT, 67, 131);
        Tensor out = OneNode.onnx("Transpose", 13).run(in);
        check(out, in, at -> at[1] * 131 + at[0]);
    }

    @ParameterizedTest
    @EnumSource(ElementType.class)
    void slicesForwardAndBackward(ElementType type) {
        Tensor in = counting(type, 4, 9);
        Tensor out = OneNode.onnx("Slice", 13).run(in, longs(3, -2), longs(-9, 1), longs(0, 1), longs(-2, -3));
        assertThat(out.shape()).isEqualTo(Shape.of(2, 2));
        check(out, in, at -> (3 - 2 * at[0]) * 9 + 7 - 3 * at[1]);
    }

    @Test
    void slicesByAttributesBeforeOpsetTen() {
        Tensor in = counting(ElementType.INT32, 4, 5);
        Tensor out = OneNode.onnx("Slice", 9)
                .withAll("axes", 1L, 0L)
                .withAll("starts", -3L, 1L)
                .withAll("ends", 1000L, -1L)
                .run(in);
        assertThat(out.shape()).isEqualTo(Shape.of(2, 3));
        check(out, in, at -> (1 + at[0]) * 5 + 2 + at[1]);
    }

    @ParameterizedTest
    @EnumSource(ElementType.class)
    void splitsAndConcatenatesBack(ElementType type) {
        Tensor in = counting(type, 2, 7, 3);
        var parts = OneNode.onnx("Split", 13).with("axis", 1L).outputs(3).runAll(in, longs(1, 4, 2));
        check((Tensor) parts.get(1), in, at -> at[0] * 21 + (1 + at[1]) * 3 + at[2]);
        Tensor out = OneNode.onnx("Concat", 13).with("axis", -2L).run(parts.get(0), parts.get(1), parts.get(2));
        assertThat(out.shape()).isEqualTo(in.shape());
        check(out, in, at -> at[0] * 21 + at[1] * 3 + at[2]);
    }

    @ParameterizedTest
    @EnumSource(ElementType.class)
    void tilesAndExpands(ElementType type) {
        Tensor in = counting(type, 2, 1, 3);
        Tensor tiled = OneNode.onnx("Tile", 13).run(in, longs(2, 3, 2));
        check(tiled, in, at -> at[0] % 2 * 3 + at[2] % 3);
        Tensor expanded = OneNode.onnx("Expand", 13).run(in, longs(5, 1, 4, 1));
        assertThat(expanded.shape()).isEqualTo(Shape.of(5, 2, 4, 3));
        check(expanded, in, at -> at[1] * 3 + at[3]);
    }

    @ParameterizedTest
    @EnumSource(ElementType.class)
    void padsByReflectionEdgeAndWrap(ElementType type) {
        Tensor in = counting(type, 3, 4);
        long[][] reflected = {{2, 1, 0, 1, 2, 1}, {1, 0, 1, 2, 3, 2, 1}};
        long[][] edge = {{0, 0, 0, 1, 2, 2}, {0, 0, 1, 2, 3, 3, 3}};
        long[][] wrapped = {{1, 2, 0, 1, 2, 0}, {3, 0, 1, 2, 3, 0, 1}};
        for (var mode : List.of("reflect", "edge", "wrap")) {
            long[][] table = mode.equals("reflect") ? reflected : mode.equals("edge") ? edge : wrapped;
            Tensor out = OneNode.onnx("Pad", 19).with("mode", mode).run(in, longs(2, 1, 1, 2));
            check(out, in, at -> table[0][(int) at[0]] * 4 + table[1][(int) at[1]]);
        }
    }

    @Test
    void padsStringsWithTheGivenOneOrTheEmptyOne() {
        Tensor in = counting(ElementType.STRING, 2);
        assertThat(OneNode.onnx("Pad", 18)
                        .run(in, longs(1, 2), Tensor.ofStrings(Shape.SCALAR, "x"))
                        .strings())
                .containsExactly("x", "s0", "s1", "x", "x");
        assertThat(OneNode.onnx("Pad", 18).run(in, longs(0, 1)).strings()).containsExactly("s0", "s1", "");
    }

    @Test
    void cropsWithNegativePads() {
        Tensor in = counting(ElementType.INT64, 3, 6);
        Tensor out = OneNode.onnx("Pad", 2).withAll("pads", -1L, -2L, 0L, -1L).run(in);
        assertThat(out.shape()).isEqualTo(Shape.of(2, 3));
        check(out, in, at -> (1 + at[0]) * 6 + 2 + at[1]);
    }

    @ParameterizedTest
    @EnumSource(ElementType.class)
    void gathersRowsAndElements(ElementType type) {
        Tensor in = counting(type, 3, 4);
        Tensor rows = OneNode.onnx("Gather", 13).run(in, Tensor.copyOf(new int[] {2, -3}, 2, 1));
        assertThat(rows.shape()).isEqualTo(Shape.of(2, 1, 4));
        check(rows, in, at -> (at[0] == 0 ? 2 : 0) * 4 + at[2]);
        Tensor columns = OneNode.onnx("Gather", 13).with("axis", 1L).run(in, Tensor.scalar(-1L));
        check(columns, in, at -> at[0] * 4 + 3);
    }

    @Test
    void namesTheNodeAndTheIndexThatIsOutside() {
        Tensor in = counting(ElementType.FLOAT, 3, 4);
        assertThatThrownBy(() -> OneNode.onnx("Gather", 13).run(in, longs(1, 3)))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("Gather")
                .hasMessageContaining("index 3 is outside [-3, 3)");
    }

    @ParameterizedTest
    @EnumSource(ElementType.class)
    void scattersRowsInOrder(ElementType type) {
        Tensor in = counting(type, 4, 2);
        Tensor updates = OneNode.onnx("Slice", 13).run(in, longs(0), longs(3), longs(0));
        Tensor out = OneNode.onnx("ScatterND", 18).run(in, Tensor.copyOf(new long[] {3, 1, 3}, 3, 1), updates);
        long[] source = {0, 1, 2, 2};
        check(out, in, at -> source[(int) at[0]] * 2 + at[1]);
    }

    @Test
    void reducesUnsignedLongsAsUnsigned() {
        Tensor in = Tensor.allocate(ElementType.UINT64, Shape.of(2));
        Elements.setLong(ElementType.UINT64, in.segment(), 0, -1);
        Elements.setLong(ElementType.UINT64, in.segment(), 1, 5);
        Tensor updates = Tensor.allocate(ElementType.UINT64, Shape.of(2));
        Elements.setLong(ElementType.UINT64, updates.segment(), 0, 7);
        Elements.setLong(ElementType.UINT64, updates.segment(), 1, -2);
        Tensor out =
                OneNode.onnx("ScatterElements", 18).with("reduction", "max").run(in, longs(0, 1), updates);
        assertThat(out.longs()).containsExactly(-1, -2);
    }

    @Test
    void aNodeMayHaveFewerOutputsThanTheAxisIsSplitInto() {
        Tensor data = counting(ElementType.FLOAT, 7);
        var parts = OneNode.onnx("Split", 18).with("num_outputs", 3).outputs(2).runAll(data);
        assertThat(((Tensor) parts.get(0)).floats()).containsExactly(0, 1, 2);
        assertThat(((Tensor) parts.get(1)).floats()).containsExactly(3, 4, 5);
    }

    /** Positions are found for a block of tuples, and some of these meet the same element. */
    @ParameterizedTest
    @ValueSource(strings = {"add", "mul", "min", "max"})
    void singleFloatsAreCombinedOneAfterTheOther(String reduction) {
        float[] numbers = {1.5f, -2f, 0f, -0f, Float.NaN, Float.NEGATIVE_INFINITY, Float.POSITIVE_INFINITY, 3e-45f};
        int count = 3000;
        float[] data = new float[60];
        float[] updates = new float[count];
        long[] tuples = new long[2 * count];
        var random = new Random(4);
        for (int i = 0; i < data.length; i++) {
            data[i] = numbers[random.nextInt(4)];
        }
        float[] expected = data.clone();
        for (int i = 0; i < count; i++) {
            updates[i] = numbers[random.nextInt(20) == 0 ? 4 + random.nextInt(4) : random.nextInt(4)];
            tuples[2 * i] = random.nextInt(10) - 5;
            tuples[2 * i + 1] = random.nextInt(12);
            int at = (int) Math.floorMod(tuples[2 * i], 5L) * 12 + (int) tuples[2 * i + 1];
            expected[at] = switch (reduction) {
                case "add" -> expected[at] + updates[i];
                case "mul" -> expected[at] * updates[i];
                case "min" -> Math.min(expected[at], updates[i]);
                default -> Math.max(expected[at], updates[i]);
            };
        }
        Tensor out = OneNode.onnx("ScatterND", 18)
                .with("reduction", reduction)
                .run(Tensor.copyOf(data, 5, 12), Tensor.copyOf(tuples, count, 2), Tensor.copyOf(updates, count));
        assertThat(out.floats()).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(longs = {Long.MAX_VALUE, Long.MIN_VALUE})
    void aDiagonalFarAwayLeavesAllOrNothing(long k) {
        Tensor x = counting(ElementType.INT64, 3, 4);
        Tensor all = OneNode.onnx("Trilu", 14).with("upper", k < 0 ? 1 : 0).run(x, Tensor.scalar(k));
        Tensor nothing = OneNode.onnx("Trilu", 14).with("upper", k < 0 ? 0 : 1).run(x, Tensor.scalar(k));
        assertThat(all.longs()).containsExactly(x.longs());
        assertThat(nothing.longs()).containsOnly(0);
    }
}
