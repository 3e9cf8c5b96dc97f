package dev.millrace.kernels.resize;

import dev.millrace.codegen.program.Target;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;

/**
 * The resizing of one axis in a plan, with its table.
 *
 * @param outer the number of times that the axis occurs in a row of a band; 1 if it is the axis of these rows
 * @param inner the number of elements from one index of the axis to the next
 * @param taps the elements and weights of the results
 * @param table the table for {@link BlendRows} or {@link BlendElements}, or the numbers of the nearest elements
 */
record ResizeStep(ResizeAxis axis, Rows rows, long outer, long inner, Taps taps, MemorySegment table) {
    /** The relation of a step to the rows that bands consist of. */
    enum Rows {
        /** The step is applied to each row of the data. */
        OF_DATA,
        /** The step computes rows of results from rows of the data. */
        BECOME_RESULTS,
        /** The step is applied to each row of the results. */
        OF_RESULTS
    }

    static ResizeStep of(
            ResizeRule rule,
            ResizeAxis axis,
            Rows rows,
            long outer,
            long inner,
            Target target,
            SegmentAllocator tables) {
        Taps taps = Taps.of(rule, axis);
        if (rule.mode() == ResizeRule.Mode.NEAREST) {
            return new ResizeStep(axis, rows, outer, inner, taps, numbers(taps, tables));
        }
        MemorySegment table = inner == 1 ? ofVectors(taps, axis.to(), target.lanes(), tables) : ofRows(taps, tables);
        return new ResizeStep(axis, rows, outer, inner, taps, table);
    }

    /** The number of times that the axis occurs in a band. */
    long outer(ResizeBand band) {
        return switch (rows) {
            case OF_DATA -> outer * band.sources();
            case BECOME_RESULTS -> outer;
            case OF_RESULTS -> outer * band.results();
        };
    }

    /** The number of elements of a band after this step. */
    long results(ResizeBand band) {
        return outer(band) * inner * (rows == Rows.BECOME_RESULTS ? band.results() : axis.to());
    }

    /** The size of a table's entry for each result, in tables for rows. */
    long entryBytes() {
        return table.byteSize() / axis.to();
    }

    private static MemorySegment numbers(Taps taps, SegmentAllocator tables) {
        int count = taps.elements().length;
        MemorySegment table = tables.allocate(4L * count, 64);
        for (int i = 0; i < count; i++) {
            table.setAtIndex(ValueLayout.JAVA_INT, i, taps.elements()[i]);
        }
        return table;
    }

    private static MemorySegment ofRows(Taps taps, SegmentAllocator tables) {
        int count = taps.elements().length;
        MemorySegment table = tables.allocate((long) BlendRows.TAP_BYTES * count, 64);
        for (int i = 0; i < count; i++) {
            table.setAtIndex(ValueLayout.JAVA_INT, 2L * i, taps.elements()[i]);
            table.setAtIndex(ValueLayout.JAVA_FLOAT, 2L * i + 1, taps.weights()[i]);
        }
        return table;
    }

    private static MemorySegment ofVectors(Taps taps, int results, int lanes, SegmentAllocator tables) {
        int vectors = (results + lanes - 1) / lanes;
        MemorySegment table =
                tables.allocate(8L * lanes * vectors * taps.count(), 64).fill((byte) 0);
        for (int result = 0; result < results; result++) {
            for (int tap = 0; tap < taps.count(); tap++) {
                long vector = 2L * lanes * ((long) result / lanes * taps.count() + tap);
                long at = vector + result % lanes;
                table.setAtIndex(ValueLayout.JAVA_INT, at, taps.elements()[result * taps.count() + tap]);
                table.setAtIndex(ValueLayout.JAVA_FLOAT, at + lanes, taps.weights()[result * taps.count() + tap]);
            }
        }
        return table;
    }
}
