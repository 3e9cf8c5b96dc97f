package dev.millrace.providers.simd;

import dev.millrace.scheduler.kernel.LaunchContext;
import java.lang.foreign.MemorySegment;

/** Where a value lies while a launch runs: a segment that the launch knows, and the value's first byte in it. */
record Place(Place.Kind kind, int index, MemorySegment constant, long base) {
    enum Kind {
        INPUT,
        OUTPUT,
        WORKSPACE,
        CONSTANT
    }

    static Place input(int index) {
        return new Place(Kind.INPUT, index, MemorySegment.NULL, 0);
    }

    static Place output(int index) {
        return new Place(Kind.OUTPUT, index, MemorySegment.NULL, 0);
    }

    static Place workspace(long offset) {
        return new Place(Kind.WORKSPACE, 0, MemorySegment.NULL, offset);
    }

    static Place constant(MemorySegment segment, long offset) {
        return new Place(Kind.CONSTANT, 0, segment, offset);
    }

    MemorySegment segment(LaunchContext context) {
        return switch (kind) {
            case INPUT -> context.input(index);
            case OUTPUT -> context.output(index);
            case WORKSPACE -> context.workspace();
            case CONSTANT -> constant;
        };
    }
}
