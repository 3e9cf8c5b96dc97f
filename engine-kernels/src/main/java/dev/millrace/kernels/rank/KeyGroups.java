package dev.millrace.kernels.rank;

/**
 * How the keys of a line lie in memory: a vector for what a kernel has to read back, groups of whole vectors, then the
 * largest key of each group in whole vectors and one more.
 *
 * @param count of keys
 * @param vectors in a group
 */
record KeyGroups(int count, int lanes, int vectors) {
    /** Steps for each vector of a group, beside those for each vector of largest keys. */
    private static final double STEPS_IN_GROUP = 1.5;

    /** Groups of the length with which the best key is found in the fewest steps. */
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

    /** Groups without room behind the last key. */
    int wholeGroups() {
        return count / groupKeys();
    }

    /** Vectors of the largest keys. */
    int topVectors() {
        return Math.ceilDiv(groups(), lanes);
    }

    /** Where the keys begin, in bytes. */
    long keysAt() {
        return 4L * lanes;
    }

    /** Where the largest keys begin, in bytes. */
    long largestAt() {
        return keysAt() + 4L * groups() * groupKeys();
    }

    long bytes() {
        return largestAt() + 4L * lanes * (topVectors() + 1);
    }
}
