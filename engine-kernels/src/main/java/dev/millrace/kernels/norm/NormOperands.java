package dev.millrace.kernels.norm;

import dev.millrace.kernels.call.CallChecks;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The check of the operands of a normalisation, one after the other, then all against each other. */
final class NormOperands {
    /** An operand with the number of its bytes that are used. */
    private record Used(String name, MemorySegment segment, long bytes, boolean rows, boolean written) {}

    private final List<Used> all = new ArrayList<>();

    /** Adds an operand of rows; all these have the same length. */
    void rows(String name, @Nullable MemorySegment segment, boolean wanted, boolean written, long elements) {
        add(name, segment, wanted, true, written, elements);
    }

    /** Adds an operand of numbers, one for each row or for each element of a row. */
    void numbers(String name, @Nullable MemorySegment segment, boolean wanted, boolean written, long elements) {
        add(name, segment, wanted, false, written, elements);
    }

    private void add(
            String name,
            @Nullable MemorySegment segment,
            boolean wanted,
            boolean rows,
            boolean written,
            long elements) {
        if (wanted != (segment != null)) {
            throw new IllegalArgumentException(
                    name + (wanted ? " is not given, but the kernel reads or writes it" : " is given, but not used"));
        }
        if (segment != null) {
            CallChecks.vector(name, segment, elements);
            if (written) {
                CallChecks.writable(name, segment);
            }
            all.add(new Used(name, segment, Float.BYTES * elements, rows, written));
        }
    }

    /**
     * Checks that operands which are written overlap no others. Operands of rows may be the same memory, since each row
     * is read before it is written.
     */
    void checkOverlaps() {
        for (int i = 0; i < all.size(); i++) {
            for (int j = 0; j < i; j++) {
                Used a = all.get(i);
                Used b = all.get(j);
                if (a.rows && b.rows && (a.written || b.written)) {
                    CallChecks.sameOrApart(a.name, a.segment, b.name, b.segment, a.bytes);
                } else if (a.written || b.written) {
                    CallChecks.apart(a.name, a.segment, a.bytes, b.name, b.segment, b.bytes);
                }
            }
        }
    }
}
