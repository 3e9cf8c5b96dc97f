package dev.millrace.kernels.lowp;

/** The form in which tiles read the rows of A. */
enum RowForm {
    /** Unsigned bytes in the memory of the caller, whole quads of them; one zero point and one scale for all rows. */
    GIVEN,
    /** Rows in the form of {@link PackedRow}; one zero point and one scale for all rows. */
    PACKED,
    /** Rows in the form of {@link PackedRow}, each with its own zero point and scale. */
    EACH;

    /** The offset of the elements in a row. */
    int data() {
        return this == GIVEN ? 0 : PackedRow.DATA;
    }
}
