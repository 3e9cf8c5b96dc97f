package dev.millrace.providers.cpu.random;

/**
 * The generator MT19937 of Matsumoto and Nishimura (Mersenne Twister), with 53-bit doubles as most numeric software
 * draws them, so that a seed gives the same numbers. Not safe for use by several threads.
 */
final class MersenneTwister {
    private static final int WORDS = 624;
    private static final int SHIFT = 397;

    private final int[] state = new int[WORDS];
    private int next = WORDS;

    MersenneTwister(int seed) {
        state[0] = seed;
        for (int i = 1; i < WORDS; i++) {
            state[i] = 1812433253 * (state[i - 1] ^ (state[i - 1] >>> 30)) + i;
        }
    }

    private int nextInt() {
        if (next == WORDS) {
            refill();
        }
        int y = state[next++];
        y ^= y >>> 11;
        y ^= (y << 7) & 0x9d2c5680;
        y ^= (y << 15) & 0xefc60000;
        return y ^ (y >>> 18);
    }

    private void refill() {
        for (int i = 0; i < WORDS; i++) {
            int y = (state[i] & 0x80000000) | (state[(i + 1) % WORDS] & 0x7fffffff);
            state[i] = state[(i + SHIFT) % WORDS] ^ (y >>> 1) ^ ((y & 1) == 0 ? 0 : 0x9908b0df);
        }
        next = 0;
    }

    /** Returns a number that is uniform in [0, 1). */
    double nextDouble() {
        int high = nextInt() >>> 5;
        int low = nextInt() >>> 6;
        return (high * 67108864.0 + low) / 9007199254740992.0;
    }

    /**
     * Returns a normally distributed number of mean zero and deviation one, by Marsaglia's polar method. The second
     * number of a pair is not kept.
     */
    double nextGaussian() {
        while (true) {
            double x = 2 * nextDouble() - 1;
            double y = 2 * nextDouble() - 1;
            double r = x * x + y * y;
            if (r > 0 && r < 1) {
                return y * Math.sqrt(-2 * Math.log(r) / r);
            }
        }
    }
}
