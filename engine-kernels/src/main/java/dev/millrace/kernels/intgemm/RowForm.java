package dev.millrace.kernels.intgemm;

/** How tiles find the rows of A. */
enum RowForm {
    /** Bytes without sign as they were given, whole fours of them; one zero point and one scale for all rows. */
    GIVEN,
    /** As {@link PackedRow} has them; one zero point and one scale for all rows. */
    PACKED,
    /** As {@link PackedRow} has them, each with its own zero point and scale. */
    EACH;

    /** Where the elements of a row begin. */
    int data() {
        return this == GIVEN ? 0 : PackedRow.DATA;
    }
}
