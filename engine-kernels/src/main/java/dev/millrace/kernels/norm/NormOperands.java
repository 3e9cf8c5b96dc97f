package dev.millrace.kernels.norm;

import dev.millrace.kernels.call.Extents;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Checks the operands of a normalisation, one after the other, then all against each other. */
final class NormOperands {
    /** As much of an operand as is used. */
    private record Used(String name, MemorySegment segment, long bytes, boolean rows, boolean written) {}

    private final List<Used> all = new ArrayList<>();

    /** An operand of what is normalised; all these have the same length. */
    void rows(String name, @Nullable MemorySegment segment, boolean wanted, boolean written, long elements) {
        add(name, segment, wanted, true, written, elements);
    }

    /** An operand of numbers that go with the rows or the elements of rows. */
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
            Extents.vector(name, segment, elements);
            if (written) {
                Extents.writable(name, segment);
            }
            all.add(new Used(name, segment, Float.BYTES * elements, rows, written));
        }
    }

    /**
     * Checks that what is written shares nothing with other operands. Rows may be the same as other rows, since each is
     * read before it is written.
     */
    void checkOverlaps() {
        for (int i = 0; i < all.size(); i++) {
            for (int j = 0; j < i; j++) {
                Used a = all.get(i);
                Used b = all.get(j);
                if (a.rows && b.rows && (a.written || b.written)) {
                    Extents.sameOrApart(a.name, a.segment, b.name, b.segment, a.bytes);
                } else if (a.written || b.written) {
                    Extents.apart(a.name, a.segment, a.bytes, b.name, b.segment, b.bytes);
                }
            }
        }
    }
}
