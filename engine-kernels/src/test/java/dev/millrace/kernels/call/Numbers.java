package dev.millrace.kernels.call;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;

/** Random numbers that are equal in each test run. */
final class Numbers {
    private final Arena arena;
    private final Random random = new Random(20);

    Numbers(Arena arena) {
        this.arena = arena;
    }

    MemorySegment floats(int count) {
        MemorySegment floats = arena.allocate(4L * count, 64);
        for (int i = 0; i < count; i++) {
            floats.setAtIndex(ValueLayout.JAVA_FLOAT, i, random.nextFloat() - 0.5f);
        }
        return floats;
    }

    MemorySegment bytes(int count) {
        MemorySegment bytes = arena.allocate(count, 64);
        for (int i = 0; i < count; i++) {
            bytes.set(ValueLayout.JAVA_BYTE, i, (byte) random.nextInt(256));
        }
        return bytes;
    }
}
