package dev.millrace.kernels.resize;

/**
 * A resizing that does nothing but repeat elements, and rows of them.
 *
 * @param rows of the data
 * @param count elements in each
 * @param times how often each element is there in its row
 * @param copies how often each row is there
 */
record Repeats(long rows, long count, int times, int copies) {
    /** Stands for all that have one kernel. */
    Repeats ofAnySize() {
        return new Repeats(0, 0, times, copies);
    }
}
