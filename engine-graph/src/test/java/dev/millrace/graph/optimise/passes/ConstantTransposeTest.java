package dev.millrace.graph.optimise.passes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ConstantTransposeTest {
    private static final int[][] DIMS = {{}, {5}, {3, 4}, {300, 170}, {170, 300}, {1, 7}, {2, 0, 3}, {3, 5, 130, 140}};
    private static final int[][] TURNS = {{3, 2, 0, 1}, {0, 3, 1, 2}, {1, 0, 2, 3}, {2, 3, 1, 0}};

    @ParameterizedTest
    @EnumSource(names = {"FLOAT", "INT32", "INT8", "FLOAT16", "INT64"})
    void every_element_is_where_its_index_says(ElementType type) {
        for (int[] dims : DIMS) {
            Tensor tensor = counted(type, dims);
            if (dims.length == 4) {
                for (int[] perm : TURNS) {
                    check(tensor, perm);
                }
            } else {
                int[] perm = new int[dims.length];
                for (int i = 0; i < perm.length; i++) {
                    perm[i] = perm.length - 1 - i;
                }
                check(tensor, perm);
            }
        }
    }

    private static Tensor counted(ElementType type, int[] dims) {
        long[] extents = new long[dims.length];
        for (int i = 0; i < dims.length; i++) {
            extents[i] = dims[i];
        }
        Tensor tensor = Tensor.allocate(type, Shape.of(extents));
        for (int i = 0; i < tensor.elements(); i++) {
            Elements.setLong(type, tensor.segment(), i, i % 113);
        }
        return tensor;
    }

    private static void check(Tensor tensor, int[] perm) {
        Tensor turned = Objects.requireNonNull(ConstantTranspose.of(tensor, perm));
        long[] strides = tensor.shape().strides();
        long[] own = turned.shape().strides();
        ElementType type = tensor.type();
        for (long i = 0; i < turned.elements(); i++) {
            long at = 0;
            for (int axis = 0; axis < perm.length; axis++) {
                at += i / own[axis] % turned.shape().dim(axis) * strides[perm[axis]];
            }
            if (Elements.getLong(type, turned.segment(), i) != Elements.getLong(type, tensor.segment(), at)) {
                assertThat(i).as("element of %s by %s", tensor, perm).isEqualTo(-1);
            }
        }
    }
}
