package dev.millrace.kernels.axis;

/**
 * The memory layout of the keys of a line: a vector for the values that a kernel has to read back, groups of whole
 * vectors of keys, then the largest key of each group in whole vectors, and one more vector.
 *
 * @param count the number of keys
 * @param vectors vectors in a group
 */
record KeyGroups(int count, int lanes, int vectors) {
    /** The steps for each vector of a group, relative to those for each vector of largest keys. */
    private static final double STEPS_IN_GROUP = 1.5;

    /** Returns groups of the length with which the best key is found in the fewest steps. */
    static KeyGroups of(int count, int lanes) {
        double best = Math.sqrt(count / (STEPS_IN_GROUP * lanes * lanes));
        return new KeyGroups(count, lanes, Math.max(1, (int) Math.rint(best)));
    }

    int groupKeys() {
        return vectors * lanes;
    }

    int groups() {
        return Math.ceilDiv(count, groupKeys());
    }

    /** The number of groups that keys fill completely. */
    int wholeGroups() {
        return count / groupKeys();
    }

    /** The number of vectors of largest keys. */
    int topVectors() {
        return Math.ceilDiv(groups(), lanes);
    }

    /** The offset of the keys in bytes. */
    long keysAt() {
        return 4L * lanes;
    }

    /** The offset of the largest keys in bytes. */
    long largestAt() {
        return keysAt() + 4L * groups() * groupKeys();
    }

    long bytes() {
        return largestAt() + 4L * lanes * (topVectors() + 1);
    }
}
