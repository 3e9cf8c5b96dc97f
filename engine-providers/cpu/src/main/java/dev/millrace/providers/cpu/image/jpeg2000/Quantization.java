package dev.millrace.providers.cpu.image.jpeg2000;

import dev.millrace.providers.cpu.image.source.Bytes;

/**
 * How a component's coefficients were made smaller, band after band.
 *
 * @param derived whether all bands go by the first one's numbers
 */
record Quantization(boolean derived, int guardBits, int[] exponents, int[] mantissas) {
    static Quantization read(Bytes marker) {
        int style = marker.octet();
        int kind = style & 31;
        if (kind > 2) {
            throw new IllegalArgumentException("quantization of kind " + kind + "; known are 0 to 2");
        }
        int bands = kind == 1 ? 1 : marker.remaining() / (kind == 0 ? 1 : 2);
        int[] exponents = new int[bands];
        int[] mantissas = new int[bands];
        for (int i = 0; i < bands; i++) {
            int number = kind == 0 ? marker.octet() << 8 : marker.big16();
            exponents[i] = number >> 11;
            mantissas[i] = number & 0x7ff;
        }
        return new Quantization(kind == 1, style >> 5, exponents, mantissas);
    }

    /** Bands are numbered from the smallest one on, three for each further resolution. */
    private int exponent(int band) {
        if (derived) {
            return Math.max(0, exponents[0] - (band == 0 ? 0 : (band - 1) / 3));
        }
        if (band >= exponents.length) {
            throw new IllegalArgumentException("band " + band + " has no step; there are " + exponents.length);
        }
        return exponents[band];
    }

    /** How many bits the magnitudes of a band have. */
    int planes(int band) {
        return exponent(band) + guardBits - 1;
    }

    /** The step of a band, for samples of {@code depth} bits; the transform makes up for the gain of high bands. */
    float step(int band, int depth) {
        int mantissa = mantissas[derived ? 0 : band];
        return (float) ((1 + mantissa / 2048.0) * Math.pow(2, depth - exponent(band)));
    }
}
