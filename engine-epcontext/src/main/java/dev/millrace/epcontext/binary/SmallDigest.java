package dev.millrace.epcontext.binary;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * SHA-256 of a few kilobytes, as FIPS 180-4 defines it. The JDK's comes with all that its security providers set up, which
 * takes a process that has just begun a quarter of the time that a small context model takes it.
 */
final class SmallDigest {
    /** More is left to the JDK's, which the processor helps. */
    static final int MOST_BYTES = 16 << 10;

    private static final int BLOCK = 64;
    private static final int WORDS = 8;
    private static final int ROUNDS = 64;
    /** Behind the data: a one, and their length in bits. */
    private static final int TAIL = 1 + Long.BYTES;

    private SmallDigest() {}

    /** The first 32 bits of the fractions of roots of primes. */
    private static final class Constants {
        static final int[] START = new int[WORDS];
        static final int[] ROUND = new int[ROUNDS];

        static {
            int prime = 1;
            for (int i = 0; i < ROUNDS; i++) {
                prime = primeAfter(prime);
                if (i < WORDS) {
                    START[i] = fraction(Math.sqrt(prime));
                }
                ROUND[i] = fraction(Math.cbrt(prime));
            }
        }

        private Constants() {}

        private static int primeAfter(int number) {
            int candidate = number + 1;
            for (int divisor = 2; divisor * divisor <= candidate; divisor++) {
                if (candidate % divisor == 0) {
                    candidate++;
                    divisor = 1;
                }
            }
            return candidate;
        }

        private static int fraction(double root) {
            return (int) (long) ((root - Math.floor(root)) * 0x1p32);
        }
    }

    static byte[] sha256(byte[] data) {
        int padded = (data.length + TAIL + BLOCK - 1) / BLOCK * BLOCK;
        ByteBuffer blocks = ByteBuffer.wrap(Arrays.copyOf(data, padded));
        blocks.put(data.length, (byte) 0x80);
        blocks.putLong(padded - Long.BYTES, (long) Byte.SIZE * data.length);
        int[] state = Constants.START.clone();
        int[] schedule = new int[ROUNDS];
        for (int at = 0; at < padded; at += BLOCK) {
            for (int i = 0; i < BLOCK / Integer.BYTES; i++) {
                schedule[i] = blocks.getInt(at + i * Integer.BYTES);
            }
            add(schedule, state);
        }
        ByteBuffer digest = ByteBuffer.allocate(WORDS * Integer.BYTES);
        for (int word : state) {
            digest.putInt(word);
        }
        return digest.array();
    }

    /** @param schedule begins with a block, and is filled up here */
    private static void add(int[] schedule, int[] state) {
        for (int i = BLOCK / Integer.BYTES; i < ROUNDS; i++) {
            int before = schedule[i - 15];
            int last = schedule[i - 2];
            int small = Integer.rotateRight(before, 7) ^ Integer.rotateRight(before, 18) ^ before >>> 3;
            int large = Integer.rotateRight(last, 17) ^ Integer.rotateRight(last, 19) ^ last >>> 10;
            schedule[i] = schedule[i - 16] + small + schedule[i - 7] + large;
        }
        int a = state[0];
        int b = state[1];
        int c = state[2];
        int d = state[3];
        int e = state[4];
        int f = state[5];
        int g = state[6];
        int h = state[7];
        for (int i = 0; i < ROUNDS; i++) {
            int ofE = Integer.rotateRight(e, 6) ^ Integer.rotateRight(e, 11) ^ Integer.rotateRight(e, 25);
            int first = h + ofE + (e & f ^ ~e & g) + Constants.ROUND[i] + schedule[i];
            int ofA = Integer.rotateRight(a, 2) ^ Integer.rotateRight(a, 13) ^ Integer.rotateRight(a, 22);
            int second = ofA + (a & b ^ a & c ^ b & c);
            h = g;
            g = f;
            f = e;
            e = d + first;
            d = c;
            c = b;
            b = a;
            a = first + second;
        }
        int[] more = {a, b, c, d, e, f, g, h};
        for (int i = 0; i < WORDS; i++) {
            state[i] += more[i];
        }
    }
}
