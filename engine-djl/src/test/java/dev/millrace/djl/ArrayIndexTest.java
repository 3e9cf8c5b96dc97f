package dev.millrace.djl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.index.NDIndex;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of every form of index. Results of forms that DJL's engine of PyTorch has are recorded from it. */
class ArrayIndexTest {
    private final NDManager manager = NDManager.newBaseManager("Millrace");
    private final NDArray cube = manager.arange(24).reshape(2, 3, 4);
    private final NDArray table = manager.create(new int[] {3, 1, 2, -4, 0, 5}, new Shape(2, 3));

    @AfterEach
    void close() {
        manager.close();
    }

    private NDArray places(long... places) {
        return manager.create(places);
    }

    private NDArray mask(boolean... flags) {
        return manager.create(flags);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0 | (3, 4) [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]",
                "-1, 1 | (4) [16, 17, 18, 19]",
                "1, 2, -1 | () [23]",
                "..., 0 | (2, 3) [0, 4, 8, 12, 16, 20]",
                "1, ..., 0 | (3) [12, 16, 20]",
                "1, ... | (3, 4) [12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23]",
                "..., ::3 | (2, 3, 2) [0, 3, 4, 7, 8, 11, 12, 15, 16, 19, 20, 23]",
                ":, :-2, 0 | (2, 1) [0, 12]",
                "0:1, 1:, 2 | (1, 2) [6, 10]",
                "0, 0, ::-1 | (4) [3, 2, 1, 0]",
                "0, 2:0:-1, 0 | (2) [8, 4]",
                "5: | (0, 3, 4) []",
                ":, 1:1 | (2, 0, 4) []",
                ":, -9:1, 0 | (2, 1) [0, 12]"
            })
    void slicesAndPlacesAreTaken(String index, String expected) {
        assertThat(ArrayText.of(cube.get(index))).isEqualTo("int32 " + expected);
    }

    @Test
    void placesOfSeveralAxesAreTakenTogether() {
        assertThat(ArrayText.of(table.get(places(1, 0, -1)))).isEqualTo("int32 (3, 3) [-4, 0, 5, 3, 1, 2, -4, 0, 5]");
        assertThat(table.get(places(1, 0, 1, 1).reshape(2, 2)).getShape()).isEqualTo(new Shape(2, 2, 3));
        assertThat(ArrayText.of(table.get(":, {}", places(2, 0)))).isEqualTo("int32 (2, 2) [2, 3, 5, -4]");
        assertThat(ArrayText.of(table.get("{}, {}", places(1, 0), places(2, 2))))
                .isEqualTo("int32 (2) [5, 2]");
        assertThat(ArrayText.of(cube.get("{}, {}, 1", places(0, 1).reshape(2, 1), places(0, 2))))
                .isEqualTo("int32 (2, 2) [1, 9, 13, 21]");
        assertThat(ArrayText.of(cube.get(":, {}, {}", places(1, 0), places(2, 3))))
                .isEqualTo("int32 (2, 2) [6, 3, 18, 15]");
        assertThat(ArrayText.of(cube.get("{}, :, {}", places(1, 0), places(2, 3))))
                .as("places that are no neighbours stand in front")
                .isEqualTo("int32 (2, 3) [14, 18, 22, 3, 7, 11]");
        assertThat(ArrayText.of(cube.get("0, :, {}", places(2, 3)))).isEqualTo("int32 (3, 2) [2, 3, 6, 7, 10, 11]");
        assertThat(ArrayText.of(table.get(manager.create(new float[] {1})))).isEqualTo("int32 (1, 3) [-4, 0, 5]");
    }

    @Test
    void elementsAreTakenWhereAMaskIsTrue() {
        assertThat(ArrayText.of(table.get(table.gt(0)))).isEqualTo("int32 (4) [3, 1, 2, 5]");
        assertThat(ArrayText.of(table.get(mask(false, true)))).isEqualTo("int32 (1, 3) [-4, 0, 5]");
        assertThat(ArrayText.of(
                        cube.get(mask(true, false, false, false, false, true).reshape(2, 3))))
                .isEqualTo("int32 (2, 4) [0, 1, 2, 3, 20, 21, 22, 23]");
        assertThat(ArrayText.of(table.get(":, {}", mask(true, false, true)))).isEqualTo("int32 (2, 2) [3, 2, -4, 5]");
        assertThat(ArrayText.of(table.booleanMask(table.gt(0)))).isEqualTo("int32 (4) [3, 1, 2, 5]");
        assertThat(ArrayText.of(table.booleanMask(mask(false, true, true), 1))).isEqualTo("int32 (2, 2) [1, 2, 0, 5]");
        assertThat(table.get(table.gt(9)).getShape()).isEqualTo(new Shape(0));
        assertThatThrownBy(() -> table.get(mask(true, false, true)))
                .hasMessageContaining("a mask of the shape [3] does not fit");
    }

    @Test
    void onePlaceOfEachRowIsPicked() {
        NDIndex index = new NDIndex().addAllDim().addPickDim(places(2, 0));
        assertThat(ArrayText.of(table.get(index))).isEqualTo("int32 (2, 1) [2, -4]");
        NDArray wide = places(0, 1, 2, 0, 1, 2, 0, 1).reshape(2, 1, 4);
        NDIndex middle = new NDIndex().addAllDim().addPickDim(wide);
        assertThat(ArrayText.of(cube.get(middle))).isEqualTo("int32 (2, 1, 4) [0, 5, 10, 3, 16, 21, 14, 19]");
        table.set(index, 9);
        assertThat(table.toIntArray()).containsExactly(3, 1, 9, 9, 0, 5);
        assertThatThrownBy(() -> cube.get(new NDIndex(0).addPickDim(places(0, 1))))
                .hasMessageContaining("no slices and no other places");
    }

    @Test
    void newAxesAndManagersAreTaken() {
        NDIndex index = new NDIndex("{}, 1", (Object) null);
        assertThat(ArrayText.of(table.get(index))).isEqualTo("int32 (1, 3) [-4, 0, 5]");
        try (NDManager other = manager.newSubManager()) {
            assertThat(table.get(other, new NDIndex("0")).getManager()).isSameAs(other);
        }
    }

    @Test
    void anIndexThatDoesNotFitIsRefused() {
        assertThatThrownBy(() -> table.get("2")).hasMessageContaining("an axis of extent 2 has no place 2");
        assertThatThrownBy(() -> table.get(":, -4")).hasMessageContaining("has no place -4");
        assertThatThrownBy(() -> table.get(places(2))).hasMessageContaining("has no place 2");
        assertThatThrownBy(() -> table.get("0, 0, 0")).hasMessageContaining("an index of 3 axes");
    }

    @Test
    void elementsAreWrittenAtEachKindOfIndex() {
        table.set(new NDIndex("..., 0"), places(7, 8));
        assertThat(table.toIntArray()).containsExactly(7, 1, 2, 8, 0, 5);
        table.set(new NDIndex("1, ::-2"), places(1, 2));
        assertThat(table.toIntArray()).containsExactly(7, 1, 2, 2, 0, 1);
        table.set(new NDIndex(":, {}", places(2, 0)), places(3, 4, 5, 6).reshape(2, 2));
        assertThat(table.toIntArray()).containsExactly(4, 1, 3, 6, 0, 5);
        table.set(new NDIndex("{}, {}", places(0, 1), places(1, 1)), 9);
        assertThat(table.toIntArray()).containsExactly(4, 9, 3, 6, 9, 5);
        table.set(new NDIndex("{}", table.gt(5)), places(1, 2, 3));
        assertThat(table.toIntArray()).containsExactly(4, 1, 3, 2, 3, 5);
        table.set(new NDIndex("{}", table.gt(3)), table.neg());
        assertThat(table.toIntArray())
                .as("values like the array stand at their own places")
                .containsExactly(-4, 1, 3, 2, 3, -5);
        table.set(new NDIndex("0"), places(6).reshape(1, 1));
        assertThat(table.toIntArray()).containsExactly(6, 6, 6, 2, 3, -5);
        table.set(new NDIndex("::-1"), table);
        assertThat(table.toIntArray()).as("an array is written over itself").containsExactly(2, 3, -5, 6, 6, 6);
        table.setScalar(new NDIndex(0, 1), 8);
        assertThat(table.getInt(0, 1)).isEqualTo(8);
        assertThatThrownBy(() -> table.setScalar(new NDIndex("0"), 8)).hasMessageContaining("more than one element");
        assertThatThrownBy(() -> table.set(new NDIndex("0"), places(1, 2))).hasMessageContaining("cannot be broadcast");
    }

    @Test
    void placesOfTheFlattenedArrayAreTakenAndPut() {
        assertThat(ArrayText.of(table.take(places(0, 5, -1, 1).reshape(2, 2)))).isEqualTo("int32 (2, 2) [3, 5, 5, 1]");
        assertThat(ArrayText.of(table.put(places(0, 5), manager.create(new int[] {7, 8}))))
                .isEqualTo("int32 (2, 3) [7, 1, 2, -4, 0, 8]");
        assertThat(table.getInt(0, 0)).as("put changes a copy").isEqualTo(3);
    }

    @Test
    void placesAlongAnAxisAreGatheredAndScattered() {
        NDArray rows = places(1, 0, 1).reshape(1, 3);
        assertThat(ArrayText.of(table.gather(rows, 0))).isEqualTo("int32 (1, 3) [-4, 1, 5]");
        NDArray values = manager.create(new int[][] {{7, 8, 9}});
        assertThat(ArrayText.of(table.scatter(rows, values, 0))).isEqualTo("int32 (2, 3) [3, 8, 2, 7, 0, 9]");
        NDArray columns = places(2, 0).reshape(2, 1);
        assertThat(ArrayText.of(table.scatter(columns, values.reshape(3, 1), 1)))
                .isEqualTo("int32 (2, 3) [3, 1, 7, 8, 0, 5]");
        assertThatThrownBy(() -> table.scatter(rows, values.get(":, 0:1"), 0))
                .hasMessageContaining("do not fit places");
        assertThatThrownBy(() -> table.gather(places(0), 0)).hasMessageContaining("do not fit an array");
    }

    @Test
    void placesByCoordinatesAreGathered() {
        assertThat(ArrayText.of(table.gatherNd(places(0, 1, 1, 2).reshape(2, 2))))
                .isEqualTo("int32 (2) [1, 5]");
        assertThat(ArrayText.of(cube.gatherNd(places(0, 1, 1, 2).reshape(2, 2))))
                .isEqualTo("int32 (2, 4) [4, 5, 6, 7, 20, 21, 22, 23]");
    }

    @Test
    void differentElementsAndPartsAreFound() {
        NDArray numbers = manager.create(new float[] {3, 1, 3, 2});
        assertThat(ArrayText.of(numbers.unique(null, true, true, true)))
                .isEqualTo("float32 (3) [1, 2, 3]; int64 (4) [2, 0, 2, 1]; int64 (3) [1, 1, 2]");
        assertThat(ArrayText.of(numbers.reshape(2, 2).unique(null, true, true, false)))
                .isEqualTo("float32 (3) [1, 2, 3]; int64 (2, 2) [2, 0, 2, 1]; int64 (0) []");
        NDArray rows = manager.create(new float[] {3, 4, 1, 2, 3, 4}, new Shape(3, 2));
        assertThat(ArrayText.of(rows.unique(0, true, true, true)))
                .isEqualTo("float32 (2, 2) [1, 2, 3, 4]; int64 (3) [1, 0, 1]; int64 (2) [1, 2]");
    }

    @Test
    void stepsBehindTheEndOfASequenceAreMasked() {
        NDArray sequences = manager.ones(new Shape(2, 3, 2), DataType.INT32);
        assertThat(sequences.sequenceMask(places(1, 2)).toIntArray())
                .containsExactly(1, 1, 0, 0, 0, 0, 1, 1, 1, 1, 0, 0);
        assertThat(sequences.sequenceMask(places(0, 3), -1).toIntArray())
                .containsExactly(-1, -1, -1, -1, -1, -1, 1, 1, 1, 1, 1, 1);
    }
}
