package dev.millrace.kernels.attention;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.millrace.codegen.code.GuardedMemory;
import dev.millrace.kernels.Kernels;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

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

    @ParameterizedTest
    @EnumSource(RowType.class)
    void storedRowsAreTheNearestThatTheirTypeHas(RowType type) {
        var random = new Random(5);
        try (Arena arena = Arena.ofShared();
                Kernels kernels = Kernels.open(System::getProperty)) {
            var memory = new GuardedMemory(arena);
            for (int depth = 1; depth < 70; depth += 1 + random.nextInt(5)) {
                StoredRows cache = RandomRows.stored(memory, random, type, new long[] {2, HEADS, ROOM, depth});
                byte[] before = cache.data().toArray(ValueLayout.JAVA_BYTE);
                HeadRows fresh = RandomRows.floats(memory, random, 1, (int) HEADS, 2, depth);
                new KeyValueCache(kernels.set()).append(fresh, cache, 1, HEADS, 3, 2, depth);
                for (int entry = 0; entry < 2; entry++) {
                    for (int head = 0; head < HEADS; head++) {
                        for (int row = 0; row < ROOM; row++) {
                            boolean added = entry == 1 && (row == 3 || row == 4);
                            if (added) {
                                assertNearest(fresh, cache, head, row, depth);
                            } else {
                                long at = cache.offset(entry, head, row);
                                for (long i = at; i < at + type.bytes(depth); i++) {
                                    assertEquals(before[(int) i], cache.data().get(ValueLayout.JAVA_BYTE, i));
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    private static void assertNearest(HeadRows fresh, StoredRows cache, int head, int row, int depth) {
        for (int i = 0; i < depth; i++) {
            float wanted = AttentionReference.at(fresh, 0, head, row - 3, i);
            float step = Math.abs(wanted) / (cache.type() == RowType.F16 ? 1 << 10 : 1 << 7);
            StoredRows.Scales scales = cache.scales();
            if (scales != null) {
                step = scales.floats().getAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, head * scales.headStride() + i);
                int half = cache.type() == RowType.S8 ? 128 : 8;
                wanted = Math.clamp(wanted, -half * step, (half - 1) * step);
            }
            assertEquals(wanted, AttentionReference.at(cache, 1, head, row, i), 0.501f * step + 1e-7f);
        }
    }
}
