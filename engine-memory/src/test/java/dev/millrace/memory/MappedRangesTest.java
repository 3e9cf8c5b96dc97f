package dev.millrace.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class MappedRangesTest {
    private static final int ROWS = 3;

    private final MemorySegment table =
            Arena.ofAuto().allocate(MappedRanges.HEADER + ROWS * MappedRanges.ROW, Long.BYTES);
    private final MappedRanges ranges = new MappedRanges(table);

    private WatchedMapping add(long start, long end) {
        return Objects.requireNonNull(ranges.add(start, end, () -> ByteBuffer.allocate(1)));
    }

    private long word(int row, int number) {
        return table.get(ValueLayout.JAVA_LONG, MappedRanges.HEADER + (long) row * MappedRanges.ROW + 8L * number);
    }

    /** Counts a fault in a row like the signal handler. */
    private void hit(int row) {
        table.set(ValueLayout.JAVA_LONG, MappedRanges.HEADER + (long) row * MappedRanges.ROW + 16, word(row, 2) + 1);
    }

    @Test
    void aRangeStandsInTheTableUntilItIsRemoved() {
        WatchedMapping first = add(100, 200);
        WatchedMapping second = add(300, 400);
        assertThat(table.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(2);
        assertThat(word(0, 0)).isEqualTo(100);
        assertThat(word(1, 1)).isEqualTo(400);
        ranges.remove(first);
        assertThat(word(0, 0)).isEqualTo(-1);
        assertThat(word(1, 0)).isEqualTo(300);
        assertThat(second.isDamaged()).isFalse();
    }

    @Test
    void whatWasDamagedStaysSoWhenItsRowIsAnothers() {
        WatchedMapping first = add(100, 200);
        hit(0);
        ranges.remove(first);
        WatchedMapping other = add(500, 600);
        assertThat(word(0, 0)).isEqualTo(500);
        assertThat(first.isDamaged()).isTrue();
        assertThat(other.isDamaged()).isFalse();
        ranges.remove(first);
        assertThat(word(0, 0)).isEqualTo(500);
    }

    @Test
    void aFullTableTakesNoMore() {
        for (int i = 0; i < ROWS; i++) {
            add(100 * i, 100 * i + 50);
        }
        assertThat(ranges.add(1_000, 1_100, () -> ByteBuffer.allocate(1))).isNull();
    }

    @Test
    void aRangeThatTheSystemGaveAwayAgainTakesThePlaceOfTheOneThatWasThere() {
        WatchedMapping stale = add(100, 200);
        WatchedMapping fresh = add(150, 300);
        assertThat(word(0, 0)).isEqualTo(150);
        ranges.remove(stale);
        assertThat(word(0, 0)).isEqualTo(150);
        hit(0);
        assertThat(fresh.isDamaged()).isTrue();
        assertThat(stale.isDamaged()).isFalse();
    }
}
