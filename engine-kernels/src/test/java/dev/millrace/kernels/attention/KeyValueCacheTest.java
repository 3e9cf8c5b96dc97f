package dev.millrace.kernels.attention;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

class KeyValueCacheTest {
    private static final long BATCH = 2;
    private static final long HEADS = 3;
    private static final long DEPTH = 4;
    private static final long ROOM = 7;

    private static MemorySegment numbers(Arena arena, long count, float start) {
        MemorySegment segment = arena.allocate(4 * count, 4);
        for (long i = 0; i < count; i++) {
            segment.setAtIndex(ValueLayout.JAVA_FLOAT, i, start + i);
        }
        return segment;
    }

    @Test
    void newRowsFollowThoseThatAreThereAndNothingElseChanges() {
        try (Arena arena = Arena.ofConfined()) {
            for (boolean interleaved : new boolean[] {false, true}) {
                long rows = 2;
                long length = 3;
                MemorySegment fresh = numbers(arena, BATCH * HEADS * rows * DEPTH, 1000);
                HeadRows from = interleaved
                        ? HeadRows.byPlace(fresh, HEADS, rows, DEPTH)
                        : HeadRows.byHead(fresh, HEADS, rows, DEPTH);
                MemorySegment before = numbers(arena, BATCH * HEADS * ROOM * DEPTH, 0);
                MemorySegment data = arena.allocate(before.byteSize(), 4).copyFrom(before);
                HeadRows cache = HeadRows.byHead(data, HEADS, ROOM, DEPTH);
                KeyValueCache.append(from, cache, BATCH, HEADS, length, rows, DEPTH);
                for (long batch = 0; batch < BATCH; batch++) {
                    for (long head = 0; head < HEADS; head++) {
                        for (long row = 0; row < ROOM; row++) {
                            boolean added = row >= length && row < length + rows;
                            for (long i = 0; i < DEPTH; i++) {
                                long at = cache.offset(batch, head, row) + 4 * i;
                                float wanted = added
                                        ? fresh.get(
                                                ValueLayout.JAVA_FLOAT, from.offset(batch, head, row - length) + 4 * i)
                                        : before.get(ValueLayout.JAVA_FLOAT, at);
                                assertEquals(wanted, data.get(ValueLayout.JAVA_FLOAT, at));
                            }
                        }
                    }
                }
            }
        }
    }

    @Test
    void aFullCacheTakesNoMore() {
        try (Arena arena = Arena.ofConfined()) {
            HeadRows from = HeadRows.byHead(numbers(arena, BATCH * HEADS * DEPTH, 0), HEADS, 1, DEPTH);
            HeadRows cache = HeadRows.byHead(numbers(arena, BATCH * HEADS * ROOM * DEPTH, 0), HEADS, ROOM, DEPTH);
            assertThrows(
                    IndexOutOfBoundsException.class,
                    () -> KeyValueCache.append(from, cache, BATCH, HEADS, ROOM, 1, DEPTH));
        }
    }

    @Test
    void aCacheThatIsReadOnlyIsRefused() {
        try (Arena arena = Arena.ofConfined()) {
            HeadRows from = HeadRows.byHead(numbers(arena, DEPTH, 0), 1, 1, DEPTH);
            HeadRows cache = HeadRows.byHead(numbers(arena, DEPTH, 0).asReadOnly(), 1, 1, DEPTH);
            assertThrows(IllegalArgumentException.class, () -> KeyValueCache.append(from, cache, 1, 1, 0, 1, DEPTH));
        }
    }
}
