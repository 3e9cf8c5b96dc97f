package dev.millrace.extensions;

/**
 * The squared magnitudes of a short-time Fourier transform. The middle of each frame lies a hop behind that of the frame before, the first one
 * on the first sample. Beyond the ends there is silence.
 */
final class PowerSpectrum {
    private final int size;
    private final int hop;
    private final float[] window;
    private final double[] cosines;
    private final double[] sines;
    /** The sums and the differences of samples that lie equally far from the middle of a frame. */
    private final double[] sums;

    private final double[] differences;

    /** @param window the factors of a frame, which is as long as the transform */
    PowerSpectrum(float[] window, int hop) {
        this.size = window.length;
        this.hop = hop;
        this.window = window;
        this.cosines = new double[size];
        this.sines = new double[size];
        this.sums = new double[size / 2 + 1];
        this.differences = new double[size / 2 + 1];
        for (int i = 0; i < size; i++) {
            cosines[i] = Math.cos(2 * Math.PI * i / size);
            sines[i] = Math.sin(2 * Math.PI * i / size);
        }
    }

    int frequencies() {
        return size / 2 + 1;
    }

    int frames(int samples) {
        return samples / hop + 1;
    }

    /** Writes the column of a frame into a table of all frames. */
    void write(float[] samples, int at, int frames, float[] made) {
        fold(samples, at * hop - size / 2);
        for (int frequency = 0; frequency < frequencies(); frequency++) {
            double real = 0;
            double imaginary = 0;
            int phase = 0;
            for (int i = 0; i < sums.length; i++) {
                real += sums[i] * cosines[phase];
                imaginary += differences[i] * sines[phase];
                phase += frequency;
                phase -= phase >= size ? size : 0;
            }
            made[frequency * frames + at] = (float) (real * real + imaginary * imaginary);
        }
    }

    /** The cosine of a sample is that of its mirror image in the frame, and the sine is the opposite of it. */
    private void fold(float[] samples, int start) {
        for (int i = 0; i < sums.length; i++) {
            int mirror = (size - i) % size;
            double first = windowed(samples, start, i);
            double second = mirror == i ? 0 : windowed(samples, start, mirror);
            sums[i] = first + second;
            differences[i] = first - second;
        }
    }

    private double windowed(float[] samples, int start, int at) {
        int index = start + at;
        return index >= 0 && index < samples.length ? samples[index] * window[at] : 0;
    }
}
