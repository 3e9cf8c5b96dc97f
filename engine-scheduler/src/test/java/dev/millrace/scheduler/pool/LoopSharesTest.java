package dev.millrace.scheduler.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LoopSharesTest {
    private static LoopShares open(long items, long chunk, int threads) {
        var shares = new LoopShares();
        shares.open(items, chunk, threads);
        return shares;
    }

    /** Returns the items that the owner (negative), or a worker, takes until none is left. */
    private static List<Long> all(LoopShares shares, int worker) {
        var taken = new ArrayList<Long>();
        for (long from = next(shares, worker); from >= 0; from = next(shares, worker)) {
            for (long item = from; item < shares.endOf(from); item++) {
                taken.add(item);
            }
        }
        return taken;
    }

    private static long next(LoopShares shares, int worker) {
        return worker < 0 ? shares.takeForOwner() : shares.takeFor(worker);
    }

    @ParameterizedTest
    @CsvSource({"1, 1, 2", "7, 2, 3", "8, 1, 2", "100, 7, 4", "5, 9, 2", "1000, 3, 20", "3, 1, 8", "64, 1, 1"})
    void everyItemIsTakenOnceWhoeverComes(long items, long chunk, int threads) {
        for (int worker = -1; worker < threads - 1; worker++) {
            LoopShares shares = open(items, chunk, threads);

            List<Long> taken = all(shares, worker);

            assertThat(taken).doesNotHaveDuplicates().hasSize((int) items).allMatch(item -> item < items);
            assertThat(shares.areTaken()).isTrue();
        }
    }

    @Test
    void eachTakesItsOwnFirst() {
        LoopShares shares = open(12, 2, 3);

        assertThat(shares.takeForOwner()).isZero();
        assertThat(shares.takeFor(0)).isEqualTo(4);
        assertThat(shares.takeFor(1)).isEqualTo(8);
        assertThat(shares.takeFor(1)).isEqualTo(10);
        assertThat(shares.takeFor(1)).as("a chunk of the owner's").isEqualTo(2);
        assertThat(shares.areTaken()).isFalse();
        assertThat(shares.takeForOwner()).as("a chunk of the other worker's").isEqualTo(6);
        assertThat(shares.areTaken()).isTrue();
        assertThat(shares.takeFor(0)).isNegative();
    }

    @Test
    void whatIsGivenUpIsNotTaken() {
        LoopShares shares = open(100, 1, 4);
        shares.takeForOwner();

        shares.giveUp();

        assertThat(shares.areTaken()).isTrue();
        assertThat(shares.takeForOwner()).isNegative();
        assertThat(shares.takeFor(2)).isNegative();
    }

    @Test
    void opensAgainWithOtherItems() {
        LoopShares shares = open(100, 10, 2);
        all(shares, 0);

        shares.open(5, 1, 3);

        assertThat(all(shares, -1)).containsExactly(0L, 1L, 2L, 3L, 4L);
    }
}
