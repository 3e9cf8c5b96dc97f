package dev.millrace.kernels.attention;

import java.lang.foreign.MemorySegment;

/** Rows of keys or values by batch, head and place in the sequence. */
public sealed interface KeyRows permits HeadRows, StoredRows {
    MemorySegment data();

    /** Returns these rows from a place on. */
    KeyRows from(long row);

    /** Returns where a row begins, in bytes. */
    long offset(long batch, long head, long row);

    /** The size of a row in bytes. */
    long rowBytes(long depth);

    /** @throws RuntimeException if the rows do not lie inside of their segment */
    void check(String name, long batch, long heads, long rows, long depth);
}
