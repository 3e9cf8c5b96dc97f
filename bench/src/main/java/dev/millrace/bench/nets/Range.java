package dev.millrace.bench.nets;

/** The observed range of an activation, 0 included. */
record Range(float least, float most) {
    private static final int BYTE = 255;

    static Range of(float[] values) {
        float least = 0;
        float most = 0;
        for (float value : values) {
            least = Math.min(least, value);
            most = Math.max(most, value);
        }
        return new Range(least, most);
    }

    /** Returns the quantisation step, between two neighbouring bytes. */
    float scale() {
        return most > least ? (most - least) / BYTE : 1;
    }

    /** Returns the zero point, the byte that encodes 0. */
    int zeroPoint() {
        return Math.clamp(Math.round(-least / scale()), 0, BYTE);
    }
}
