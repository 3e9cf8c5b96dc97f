package dev.millrace.djl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDArrays;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.index.NDIndex;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.ndarray.types.SparseFormat;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of the operations of arrays, and of those that the engine does not have. */
class ArrayOperationsTest {
    private final NDManager manager = NDManager.newBaseManager("Millrace");

    @AfterEach
    void close() {
        manager.close();
    }

    private NDArray table() {
        return manager.create(new float[] {3, 1, 2, -4, 0, 5}, new Shape(2, 3));
    }

    @Test
    void shapesChange() {
        NDArray table = table();
        assertThat(table.transpose().getShape()).isEqualTo(new Shape(3, 2));
        assertThat(table.transpose().toFloatArray()).containsExactly(3, -4, 1, 0, 2, 5);
        assertThat(table.reshape(3, -1).getShape()).isEqualTo(new Shape(3, 2));
        assertThat(table.expandDims(0).getShape()).isEqualTo(new Shape(1, 2, 3));
        assertThat(table.expandDims(-1).squeeze(-1).getShape()).isEqualTo(new Shape(2, 3));
        assertThat(table.flatten().getShape()).isEqualTo(new Shape(6));
        assertThat(table.expandDims(0).flatten(0, 1).getShape()).isEqualTo(new Shape(2, 3));
        assertThat(table.flip(1).toFloatArray()).containsExactly(2, 1, 3, 5, 0, -4);
        assertThat(manager.create(new float[] {1, 2})
                        .expandDims(1)
                        .broadcast(new Shape(2, 2))
                        .toFloatArray())
                .containsExactly(1, 1, 2, 2);
        assertThatThrownBy(() -> table.reshape(4, 2)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void matricesAreMultiplied() {
        NDArray table = table();
        assertThat(table.matMul(table.transpose()).toFloatArray()).containsExactly(14, -2, -2, 41);
        NDArray weights = manager.create(new float[] {1, 2, 3});
        assertThat(table.matMul(weights).getShape()).isEqualTo(new Shape(2));
        assertThat(table.dot(weights).toFloatArray()).containsExactly(11, 11);
        assertThat(weights.matMul(weights).getFloat()).isEqualTo(14);
        NDArray both = table.expandDims(0).tile(0, 2);
        NDArray one = table.transpose().expandDims(0);
        assertThat(both.matMul(one).getShape()).isEqualTo(new Shape(2, 2, 2));
        assertThat(both.batchMatMul(one).toFloatArray()).containsExactly(14, -2, -2, 41, 14, -2, -2, 41);
        assertThat(manager.create(new int[] {1, 2})
                        .matMul(manager.create(new int[] {3, 4}))
                        .getInt())
                .isEqualTo(11);
        assertThatThrownBy(() -> table.matMul(table)).hasMessageContaining("have no product");
    }

    @Test
    void elementsAreRepeated() {
        NDArray table = table();
        assertThat(table.repeat(1, 2).toFloatArray()).containsExactly(3, 3, 1, 1, 2, 2, -4, -4, 0, 0, 5, 5);
        assertThat(table.repeat(0, 2).toFloatArray()).containsExactly(3, 1, 2, 3, 1, 2, -4, 0, 5, -4, 0, 5);
        assertThat(table.tile(1, 2).toFloatArray()).containsExactly(3, 1, 2, 3, 1, 2, -4, 0, 5, -4, 0, 5);
        NDArray tiled = manager.create(new float[] {1, 2}).tile(new long[] {2, 2});
        assertThat(tiled.getShape()).isEqualTo(new Shape(2, 4));
        assertThat(tiled.toFloatArray()).containsExactly(1, 2, 1, 2, 1, 2, 1, 2);
        assertThat(table.tile(0, 0).getShape()).isEqualTo(new Shape(0, 3));
    }

    @Test
    void runsAreSummedAndMultiplied() {
        NDArray table = table();
        assertThat(table.cumSum(1).toFloatArray()).containsExactly(3, 4, 6, -4, -4, 1);
        assertThat(table.cumSum(0).toFloatArray()).containsExactly(3, 1, 2, -1, 1, 7);
        assertThat(table.cumSum().toFloatArray()).containsExactly(3, 4, 6, 2, 2, 7);
        assertThat(manager.create(new int[] {1, 2}).cumSum(0).toLongArray()).containsExactly(1, 3);
        assertThat(table.prod(new int[] {1}).toFloatArray()).containsExactly(6, -0f);
        assertThat(table.prod().getFloat()).isEqualTo(-0f);
    }

    @Test
    void placesBecomeClassesAndClassesPlaces() {
        NDArray table = table();
        assertThat(table.gt(1).nonzero().toLongArray()).containsExactly(0, 0, 0, 2, 1, 2);
        assertThat(manager.create(new long[] {2, 0}).oneHot(3).toFloatArray()).containsExactly(0, 0, 1, 1, 0, 0);
        assertThat(table.div(0).isInfinite().countNonzero().getLong()).isEqualTo(5);
        assertThat(table.div(0).isNaN().nonzero().toLongArray()).containsExactly(1, 1);
        assertThat(table.sign().toFloatArray()).containsExactly(1, 1, 1, -1, 0, 1);
        assertThat(manager.linspace(0, 1, 5, true).toFloatArray()).containsExactly(0, 0.25f, 0.5f, 0.75f, 1);
        assertThat(manager.linspace(0, 1, 2, false).toFloatArray()).containsExactly(0, 0.5f);
        assertThat(manager.eye(2, 3, 1, DataType.INT32).toIntArray()).containsExactly(0, 1, 0, 0, 0, 1);
        assertThat(manager.create(new float[] {0})
                        .cos()
                        .add(manager.create(new float[] {0}).sin())
                        .getFloat(0))
                .isEqualTo(1);
    }

    @Test
    void elementsAreTaken() {
        NDArray table = table();
        assertThat(table.get(1).toFloatArray()).containsExactly(-4, 0, 5);
        assertThat(table.get(":, 1").toFloatArray()).containsExactly(1, 0);
        assertThat(table.get("0, ::2").toFloatArray()).containsExactly(3, 2);
        assertThat(table.getFloat(1, -1)).isEqualTo(5);
        NDArray places = manager.create(new long[] {2, 0, 1, -1}, new Shape(2, 2));
        assertThat(table.gather(places, 1).toFloatArray()).containsExactly(2, 3, 0, 5);
        NDArray mask = manager.create(new boolean[] {true, false, true});
        assertThat(table.booleanMask(mask, 1).toFloatArray()).containsExactly(3, 2, -4, 5);
        assertThat(table.split(3, 1))
                .extracting(NDArray::getShape)
                .containsOnly(new Shape(2, 1))
                .hasSize(3);
        assertThat(table.split(new long[] {1}, 0).get(1).toFloatArray()).containsExactly(-4, 0, 5);
    }

    @Test
    void elementsAreWritten() {
        NDArray table = table();
        table.set(new NDIndex(":, 1"), 7);
        assertThat(table.toFloatArray()).containsExactly(3, 7, 2, -4, 7, 5);
        table.set(new NDIndex("0, ::2"), manager.create(new float[] {8, 9}));
        assertThat(table.toFloatArray()).containsExactly(8, 7, 9, -4, 7, 5);
        table.set(new NDIndex("1"), row -> row.mul(2));
        assertThat(table.toFloatArray()).containsExactly(8, 7, 9, -8, 14, 10);
        // masks, and places of the first axis, as pooling and question answering write them
        table.set(table.gt(8.5f), 0);
        assertThat(table.toFloatArray()).containsExactly(8, 7, 0, -8, 0, 0);
        table.set(new NDIndex("{}", manager.create(new int[] {-1})), 1);
        assertThat(table.toFloatArray()).containsExactly(8, 7, 0, 1, 1, 1);
        table.set(manager.create(new boolean[] {true, false}), 3);
        assertThat(table.toFloatArray()).containsExactly(3, 3, 3, 1, 1, 1);
        NDArray wide = manager.create(new boolean[] {true, false, true});
        assertThatThrownBy(() -> table.set(wide, 3)).hasMessageContaining("a mask of the shape [3] does not fit");
        NDIndex beyond = new NDIndex("{}", manager.create(new int[] {2}));
        assertThatThrownBy(() -> table.set(beyond, 3)).hasMessageContaining("no place 2");
    }

    @Test
    void arraysAreJoined() {
        NDArray one = manager.create(new int[] {1, 2});
        NDArray two = manager.create(new int[] {3, 4});
        assertThat(NDArrays.stack(new NDList(one, two)).toIntArray()).containsExactly(1, 2, 3, 4);
        assertThat(NDArrays.stack(new NDList(one, two), 1).toIntArray()).containsExactly(1, 3, 2, 4);
        assertThat(NDArrays.concat(new NDList(one, two)).getShape()).isEqualTo(new Shape(4));
        NDArray condition = manager.create(new boolean[] {true, false});
        assertThat(NDArrays.where(condition, one, two).toIntArray()).containsExactly(1, 4);
    }

    @Test
    void numbersAreReduced() {
        NDArray table = table();
        assertThat(table.max().getFloat()).isEqualTo(5);
        assertThat(table.min(new int[] {1}).toFloatArray()).containsExactly(1, -4);
        assertThat(table.sum(new int[] {0}, true).getShape()).isEqualTo(new Shape(1, 3));
        assertThat(table.sum(new int[] {0}).toFloatArray()).containsExactly(-1, 1, 7);
        assertThat(table.mean(new int[] {-1}).toFloatArray()).containsExactly(2, 1f / 3);
        assertThat(table.argMax(1).toLongArray()).containsExactly(0, 2);
        assertThat(table.argMax().getLong()).isEqualTo(5);
        assertThat(table.argMin(0).toLongArray()).containsExactly(1, 1, 0);
        assertThat(table.norm().getFloat()).isEqualTo((float) Math.sqrt(55));
        assertThat(table.norm(new int[] {1}).toFloatArray())
                .containsExactly((float) Math.sqrt(14), (float) Math.sqrt(41));
        assertThat(table.normalize(2, 1).norm(new int[] {1}).toFloatArray())
                .containsExactly(new float[] {1, 1}, within(1e-6f));
        assertThat(manager.create(new int[] {1, 2, 3}).sum().getLong()).isEqualTo(6);
    }

    @Test
    void softmaxAddsUpToOne() {
        NDArray softmax = table().softmax(1);
        assertThat(softmax.sum(new int[] {1}).toFloatArray()).containsExactly(new float[] {1, 1}, within(1e-6f));
        double sum = Math.exp(0) + Math.exp(-2) + Math.exp(-1);
        assertThat(softmax.getFloat(0, 1)).isCloseTo((float) (Math.exp(-2) / sum), within(1e-6f));
        assertThat(table().logSoftmax(0).exp().toFloatArray())
                .containsExactly(table().softmax(0).toFloatArray(), within(1e-6f));
        assertThat(manager.create(new float[] {1000, 1000}).softmax(0).toFloatArray())
                .containsExactly(0.5f, 0.5f);
    }

    @Test
    void elementsAreSorted() {
        NDArray table = table();
        assertThat(table.argSort(1, true).toLongArray()).containsExactly(1, 2, 0, 0, 1, 2);
        assertThat(table.argSort(0, false).toLongArray()).containsExactly(0, 0, 1, 1, 1, 0);
        assertThat(table.sort().toFloatArray()).containsExactly(1, 2, 3, -4, 0, 5);
        NDList best = table.topK(2, 1);
        assertThat(best.get(0).toFloatArray()).containsExactly(3, 2, 5, 0);
        assertThat(best.get(1).toLongArray()).containsExactly(0, 2, 2, 1);
    }

    @Test
    void arithmeticPromotesAndBroadcasts() {
        NDArray bytes = manager.create(new byte[] {1, 2}).toType(DataType.UINT8, false);
        assertThat(bytes.add(300).getDataType()).isEqualTo(DataType.UINT8);
        assertThat(bytes.mul(0.5f).toFloatArray()).containsExactly(0.5f, 1);
        assertThat(bytes.div(4).toFloatArray()).containsExactly(0.25f, 0.5f);
        NDArray row = manager.create(new float[] {1, 10, 100});
        assertThat(table().mul(row).toFloatArray()).containsExactly(3, 10, 200, -4, 0, 500);
        assertThat(table().sub(1).abs().toFloatArray()).containsExactly(2, 0, 1, 5, 1, 4);
        assertThat(table().gt(1).toBooleanArray()).containsExactly(true, false, true, false, false, true);
        assertThat(table().gt(1).logicalAnd(table().lt(4)).toBooleanArray())
                .containsExactly(true, false, true, false, false, false);
        assertThat(table().clip(0, 2).toFloatArray()).containsExactly(2, 1, 2, 0, 0, 2);
        assertThat(table().toType(DataType.FLOAT16, false)
                        .toType(DataType.INT64, false)
                        .toLongArray())
                .containsExactly(3, 1, 2, -4, 0, 5);
        NDArray own = table();
        assertThat(own.addi(1).muli(2)).isSameAs(own);
        assertThat(own.toFloatArray()).containsExactly(8, 4, 6, -6, 2, 12);
        assertThat(manager.create(new long[] {Long.MAX_VALUE, 1}).flip(0).toLongArray())
                .as("moves are exact")
                .containsExactly(1, Long.MAX_VALUE);
        assertThat(manager.arange(0, 3, 1, DataType.INT32).toIntArray()).containsExactly(0, 1, 2);
        assertThat(manager.ones(new Shape(2)).toFloatArray()).containsExactly(1, 1);
        assertThat(table().duplicate().toFloatArray()).isEqualTo(table().toFloatArray());
    }

    @ParameterizedTest
    @CsvSource({"getGradient", "toSparse", "multiBoxPrior", "globalAvgPool", "randomFlipLeftRight"})
    void otherOperationsFailByName(String name) {
        Function<NDArray, Object> operation = switch (name) {
            case "getGradient" -> NDArray::getGradient;
            case "toSparse" -> array -> array.toSparse(SparseFormat.COO);
            case "globalAvgPool" -> array -> array.getNDArrayInternal().globalAvgPool();
            case "randomFlipLeftRight" -> array -> array.getNDArrayInternal().randomFlipLeftRight();
            default -> array -> array.getNDArrayInternal().multiBoxPrior(null, null, null, null, false);
        };
        NDArray table = table();
        assertThatThrownBy(() -> operation.apply(table))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("no array operation '" + name + "'");
    }
}
