package dev.millrace.kernels.resize;

/**
 * Some rows of the results of a plane, and those rows of the data that they are made of.
 *
 * @param first of the results
 * @param end of the results
 * @param firstSource of the data
 * @param endSource of the data
 */
record ResizeBand(int first, int end, int firstSource, int endSource) {
    int results() {
        return end - first;
    }

    int sources() {
        return endSource - firstSource;
    }
}
