package dev.millrace.bench.generate;

/**
 * The times of one generation.
 *
 * @param prefill the seconds until the first token
 * @param decode the seconds of all later tokens
 * @param ids the generated tokens
 * @param margins the differences of the two best scores of each token; none if the side does not tell
 */
record DecodeTimes(double prefill, double decode, long[] ids, float[] margins) {
    DecodeTimes(double prefill, double decode, long[] ids) {
        this(prefill, decode, ids, new float[0]);
    }

    double prefillRate(int prompt) {
        return prompt / prefill;
    }

    double decodeRate() {
        return (ids.length - 1) / decode;
    }
}
