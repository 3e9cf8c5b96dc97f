package dev.millrace.djl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDArrays;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of operations that move elements, and of those along axes. */
class ArrayShapesTest {
    private final NDManager manager = NDManager.newBaseManager("Millrace");
    private final NDArray table = manager.create(new float[] {3, 1, 2, -4, 0, 5}, new Shape(2, 3));
    private final NDArray cube = manager.arange(24f).reshape(2, 3, 4);

    @AfterEach
    void close() {
        manager.close();
    }

    @Test
    void arraysArePaddedFromTheLastAxisOn() {
        assertThat(ArrayText.of(table.pad(new Shape(1, 0, 0, 1), 9)))
                .isEqualTo("float32 (3, 4) [9, 3, 1, 2, 9, -4, 0, 5, 9, 9, 9, 9]");
        assertThat(ArrayText.of(table.pad(new Shape(-1, 0), 7))).isEqualTo("float32 (2, 2) [1, 2, 0, 5]");
        assertThat(cube.pad(new Shape(0, 0, 0, 0, 1, 2), 0).getShape()).isEqualTo(new Shape(5, 3, 4));
    }

    @Test
    void planesAreTurned() {
        int[] axes = {0, 1};
        assertThat(ArrayText.of(table.rotate90(1, axes))).isEqualTo("float32 (3, 2) [2, 5, 1, 0, 3, -4]");
        assertThat(ArrayText.of(table.rotate90(2, axes))).isEqualTo("float32 (2, 3) [5, 0, -4, 2, 1, 3]");
        assertThat(ArrayText.of(table.rotate90(-1, axes))).isEqualTo("float32 (3, 2) [-4, 3, 0, 1, 5, 2]");
        assertThat(table.rotate90(4, axes)).isEqualTo(table);
    }

    @Test
    void elementsAndArraysAreRepeatedAlongSeveralAxes() {
        NDArray column = manager.create(new float[] {1, 2}, new Shape(2, 1));
        assertThat(ArrayText.of(column.repeat(2))).isEqualTo("float32 (4, 2) [1, 1, 1, 1, 2, 2, 2, 2]");
        assertThat(ArrayText.of(column.repeat(new long[] {2}))).isEqualTo("float32 (4, 1) [1, 1, 2, 2]");
        assertThat(ArrayText.of(column.repeat(new Shape(2, 3)))).isEqualTo("float32 (2, 3) [1, 1, 1, 2, 2, 2]");
        assertThat(ArrayText.of(column.tile(2))).isEqualTo("float32 (4, 2) [1, 1, 2, 2, 1, 1, 2, 2]");
        assertThat(ArrayText.of(column.tile(new Shape(4, 1)))).isEqualTo("float32 (4, 1) [1, 2, 1, 2]");
        assertThatThrownBy(() -> column.repeat(new Shape(3, 1))).hasMessageContaining("cannot be repeated to (3, 1)");
    }

    @Test
    void diagonalsAndTheirSumsAreTaken() {
        assertThat(table.diagonal().toFloatArray()).containsExactly(3, 0);
        assertThat(table.diagonal(1).toFloatArray()).containsExactly(1, 5);
        assertThat(table.diagonal(-1).toFloatArray()).containsExactly(-4);
        assertThat(table.diagonal(3).getShape()).isEqualTo(new Shape(0));
        assertThat(ArrayText.of(cube.diagonal(0, 1, 2))).isEqualTo("float32 (2, 3) [0, 5, 10, 12, 17, 22]");
        assertThat(table.trace().getFloat()).isEqualTo(3);
        assertThat(cube.trace(0, 1, 2).toFloatArray()).containsExactly(15, 51);
    }

    @Test
    void runsAreMultipliedAndSubtracted() {
        assertThat(table.cumProd(0).toFloatArray()).containsExactly(3, 1, 2, -12, 0, 10);
        assertThat(table.cumProd(-1).toFloatArray()).containsExactly(3, 3, 6, -4, -0f, -0f);
        assertThat(ArrayText.of(manager.create(new int[] {2, 3}).cumProd(0))).isEqualTo("int64 (2) [2, 6]");
        assertThat(table.cumProd(0, DataType.FLOAT64).getDataType()).isEqualTo(DataType.FLOAT64);
        assertThat(ArrayText.of(table.diff(1, 1))).isEqualTo("float32 (2, 2) [-2, 1, 4, 5]");
        assertThat(ArrayText.of(table.diff(2, 1))).isEqualTo("float32 (2, 1) [3, 1]");
        assertThat(ArrayText.of(table.diff(1, 0))).isEqualTo("float32 (1, 3) [-7, -1, 3]");
    }

    @Test
    void middleElementsAreFound() {
        assertThat(table.median().toFloatArray()).containsExactly(2, 0);
        assertThat(table.median(new int[] {0}).toFloatArray()).containsExactly(-4, 0, 2);
        assertThat(ArrayText.of(table.percentile(40))).isEqualTo("float32 (2) [1.8, -0.8]");
        assertThat(ArrayText.of(table.percentile(40, new int[] {0}))).isEqualTo("float32 (3) [-1.2, 0.4, 3.2]");
        assertThat(cube.percentile(50, new int[] {0, 1}).toFloatArray()).containsExactly(10, 11, 12, 13);
        assertThat(manager.create(new float[] {1, Float.NaN}).median().getFloat())
                .isNaN();
        assertThatThrownBy(() -> table.percentile(101)).hasMessageContaining("from 0 to 100");
    }

    @Test
    void matricesAreInverted() {
        NDArray matrices = manager.create(new float[] {2, 1, 1, 3, 0, 1, 4, 0}, new Shape(2, 2, 2));
        assertThat(ArrayText.of(matrices.inverse()))
                .isEqualTo("float32 (2, 2, 2) [0.6, -0.2, -0.2, 0.4, 0, 0.25, 1, 0]");
        NDArray large = manager.randomNormal(new Shape(3, 9, 9));
        NDArray eye = manager.eye(9).expandDims(0).tile(0, 3);
        assertThat(large.matMul(large.inverse()).sub(eye).abs().max().getFloat())
                .isLessThan(1e-3f);
        assertThatThrownBy(() -> manager.ones(new Shape(2, 2)).inverse()).hasMessageContaining("singular");
        assertThatThrownBy(table::inverse).hasMessageContaining("no square matrices");
        assertThat(matrices.batchDot(matrices)).isEqualTo(matrices.matMul(matrices));
    }

    @Test
    void joinedArraysTakeTheWiderType() {
        NDArray ints = manager.create(new int[] {1, 2, 3}, new Shape(1, 3));
        assertThat(ArrayText.of(NDArrays.concat(new NDList(ints, table.get("0:1")))))
                .isEqualTo("float32 (2, 3) [1, 2, 3, 3, 1, 2]");
        assertThatThrownBy(() -> NDArrays.concat(new NDList(table, cube)))
                .hasMessageContaining("arrays of the shapes [2, 3] and [2, 3, 4] cannot be joined along axis 0");
        assertThatThrownBy(() -> table.expandDims(4)).hasMessageContaining("takes no new axis 4");
        assertThatThrownBy(() -> table.transpose(0)).hasMessageContaining("no order of axes [0]");
        assertThatThrownBy(() -> table.topK(4, 1)).hasMessageContaining("an axis of extent 3 has no part from 0 to 4");
    }

    @Test
    void layersOfEmbeddingsAreComputed() {
        NDArray weight = manager.create(new float[] {1, 2, 3, 4, 5, 6}, new Shape(2, 3));
        NDArray bias = manager.create(new float[] {1, 2});
        var inner = table.getNDArrayInternal();
        assertThat(inner.linear(table, weight, bias).head().toFloatArray()).containsExactly(12, 31, 12, 16);
        assertThat(inner.linear(table, weight, null).head().toFloatArray()).containsExactly(11, 29, 11, 14);
        NDArray gamma = manager.create(new float[] {1, 2, 2});
        NDArray beta = manager.create(new float[] {0, 1, 0});
        assertThat(ArrayText.of(inner.layerNorm(table, new Shape(3), gamma, beta, 1e-5f)))
                .isEqualTo("float32 (2, 3) [1.225, -1.449, 0, -1.177, 0.8189, 2.535]");
        NDArray rows = manager.create(new long[] {1, 0, 1});
        assertThat(inner.embedding(rows, table, null).head().toFloatArray())
                .containsExactly(-4, 0, 5, 3, 1, 2, -4, 0, 5);
    }
}
