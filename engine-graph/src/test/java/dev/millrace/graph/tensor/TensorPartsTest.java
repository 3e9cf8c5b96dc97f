package dev.millrace.graph.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

class TensorPartsTest {
    /** The numbers from {@code first} on, one after the other, as far as the type has them. */
    private static Tensor counted(ElementType type, int first, long... dims) {
        Tensor tensor = Tensor.allocate(type, Shape.of(dims));
        for (int i = 0; i < tensor.elements(); i++) {
            if (type.isFloating()) {
                Elements.setDouble(type, tensor.segment(), i, 1 << (first + i) % 2);
            } else {
                Elements.setLong(type, tensor.segment(), i, (first + i) % 2);
            }
        }
        return tensor;
    }

    private static double expected(ElementType type, int number) {
        return type.isFloating() ? 1 << number % 2 : number % 2;
    }

    @ParameterizedTest
    @EnumSource(
            mode = Mode.EXCLUDE,
            names = {"STRING", "COMPLEX64", "COMPLEX128"})
    void partsOfEveryTypeAreWhatTheyWere(ElementType type) {
        Tensor a = counted(type, 0, 2, 3);
        Tensor b = counted(type, 1, 2, 3);
        Tensor stacked = TensorParts.stack(List.of(a, b));
        assertThat(stacked.shape()).isEqualTo(Shape.of(2, 2, 3));
        assertThat(TensorParts.number(stacked, 1, 1, 2)).isEqualTo(expected(type, 6));
        Tensor slice = TensorParts.slice(stacked, -1, 1, 3);
        assertThat(slice.shape()).isEqualTo(Shape.of(2, 2, 2));
        assertThat(TensorParts.number(slice, 1, 0, 1)).isEqualTo(expected(type, 3));
        Tensor padded = TensorParts.pad(slice, Shape.of(2, 3, 5));
        assertThat(TensorParts.number(padded, 1, 0, 1)).isEqualTo(expected(type, 3));
        Tensor zero = Tensor.allocate(type, Shape.of(1));
        assertThat(TensorParts.number(padded, 1, 2, 1)).isEqualTo(TensorParts.number(zero, 0));
    }

    @Test
    void stringsHavePartsToo() {
        Tensor words = NestedArrays.toTensor(new String[][] {{"a", "b"}, {"c", "d"}});
        Tensor last = TensorParts.slice(words, 1, 1, 2);
        assertThat(last.strings()).containsExactly("b", "d");
        Tensor padded = TensorParts.pad(last, Shape.of(3, 2));
        assertThat(padded.strings()).containsExactly("b", "", "d", "", "", "");
        assertThat(TensorParts.text(padded, 1, 0)).isEqualTo("d");
    }

    @Test
    void scalarsAndEmptyTensorsHaveParts() {
        Tensor stacked = TensorParts.stack(List.of(Tensor.scalar(3f), Tensor.scalar(4f)));
        assertThat(stacked.floats()).containsExactly(3, 4);
        assertThat(TensorParts.number(Tensor.scalar(7L))).isEqualTo(7);
        assertThat(TensorParts.pad(Tensor.copyOf(new float[0], 0, 2), Shape.of(1, 2))
                        .floats())
                .containsExactly(0, 0);
        assertThat(TensorParts.slice(stacked, 0, 1, 1).shape()).isEqualTo(Shape.of(0));
    }

    @Test
    void whatIsNotThereIsNamed() {
        Tensor tensor = Tensor.copyOf(new float[6], 2, 3);
        assertThatThrownBy(() -> TensorParts.number(tensor, 0, 3))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("[0, 3]");
        assertThatThrownBy(() -> TensorParts.slice(tensor, 1, 2, 4)).hasMessageContaining("2 to 4");
        assertThatThrownBy(() -> TensorParts.pad(tensor, Shape.of(2, 2))).isInstanceOf(EngineException.class);
        assertThatThrownBy(() -> TensorParts.stack(List.of())).isInstanceOf(EngineException.class);
        assertThatThrownBy(() -> TensorParts.stack(List.of(tensor, Tensor.scalar(1f))))
                .hasMessageContaining("tensor 1");
    }

    @Test
    void nestedArraysGoInAndComeOut() {
        float[][] floats = {{1, 2, 3}, {4, 5, 6}};
        assertThat(NestedArrays.fromTensor(NestedArrays.toTensor(floats), float[][].class))
                .isDeepEqualTo(floats);
        long[][][] longs = {{{1}, {2}}, {{3}, {4}}};
        assertThat(NestedArrays.fromTensor(NestedArrays.toTensor(longs), long[][][].class))
                .isEqualTo(longs);
        boolean[] truths = {true, false};
        assertThat(NestedArrays.fromTensor(NestedArrays.toTensor(truths), boolean[].class))
                .isEqualTo(truths);
        assertThat(NestedArrays.toTensor(new short[][] {{-2}}).longs()).containsExactly(-2);
        assertThat(NestedArrays.toTensor(new double[2][0]).shape()).isEqualTo(Shape.of(2, 0));
        assertThatThrownBy(() -> NestedArrays.toTensor(new int[][] {{1, 2}, {3}}))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("2 and 1");
        assertThatThrownBy(() -> NestedArrays.fromTensor(Tensor.copyOf(new int[2], 2), float[].class))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("long[]");
    }
}
