package dev.millrace.djl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of Fourier transforms, beside the sums that define them. */
class SpectralArrayTest {
    private final NDManager manager = NDManager.newBaseManager("Millrace");

    @AfterEach
    void close() {
        manager.close();
    }

    private NDArray random(long... shape) {
        return manager.randomNormal(new Shape(shape));
    }

    /** Returns pairs of one frequency after another of some samples, which are filled up with zeros. */
    private static float[] spectrum(float[] samples, int length) {
        float[] pairs = new float[2 * length];
        for (int frequency = 0; frequency < length; frequency++) {
            double real = 0;
            double imaginary = 0;
            for (int i = 0; i < length && i < samples.length; i++) {
                double angle = -Math.TAU * frequency * i / length;
                real += samples[i] * Math.cos(angle);
                imaginary += samples[i] * Math.sin(angle);
            }
            pairs[2 * frequency] = (float) real;
            pairs[2 * frequency + 1] = (float) imaginary;
        }
        return pairs;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7, 12, 64, 30, 97})
    void spectraAreTheirSums(int length) {
        NDArray samples = random(length);
        NDArray spectrum = samples.fft(length);
        assertThat(spectrum.getDataType()).isEqualTo(DataType.COMPLEX64);
        float[] expected = spectrum(samples.toFloatArray(), length);
        assertThat(spectrum.real().toFloatArray()).containsExactly(expected, within(1e-4f));
        assertThat(spectrum.ifft(length).real().get("..., 0").toFloatArray())
                .containsExactly(samples.toFloatArray(), within(1e-5f));
        assertThat(samples.rfft(length).irfft(length).toFloatArray())
                .containsExactly(samples.toFloatArray(), within(1e-5f));
    }

    @Test
    void linesAlongAnAxisAreCutOrFilledUp() {
        NDArray samples = random(4, 3);
        float[] longer = spectrum(samples.get(":, 1").toFloatArray(), 6);
        assertThat(samples.fft(6, 0).get(":, 1").real().toFloatArray()).containsExactly(longer, within(1e-5f));
        float[] shorter = spectrum(samples.get("0:3, 2").toFloatArray(), 3);
        assertThat(samples.fft(3, 0).get(":, 2").real().toFloatArray()).containsExactly(shorter, within(1e-5f));
        long[] lengths = {4, 3};
        assertThat(samples.fft2(lengths).ifft2(lengths).real().get("..., 0").toFloatArray())
                .containsExactly(samples.toFloatArray(), within(1e-5f));
    }

    @Test
    void complexNumbersHaveParts() {
        NDArray numbers =
                manager.create(new float[] {3, 4, 1, -2}, new Shape(2, 2)).complex();
        assertThat(numbers.getShape()).isEqualTo(new Shape(2));
        assertThat(numbers.conj().real().toFloatArray()).containsExactly(3, -4, 1, 2);
        assertThat(numbers.abs().toFloatArray()).containsExactly(5, (float) Math.sqrt(5));
        assertThat(numbers.get("1").real().toFloatArray()).containsExactly(1, -2);
        assertThatThrownBy(() -> numbers.add(1))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("arithmetic of complex numbers");
        assertThatThrownBy(() -> random(3).complex()).hasMessageContaining("pairs of FLOAT32");
    }

    @Test
    void framesOfSignalsHaveSpectra() {
        NDArray signals = random(2, 17);
        NDArray window = manager.hanningWindow(6);
        NDArray spectra = signals.stft(6, 4, false, window, false, true);
        assertThat(spectra.getShape()).isEqualTo(new Shape(2, 4, 3));
        NDArray frame = signals.get("1, 8:14").mul(window);
        float[] expected = spectrum(frame.toFloatArray(), 6);
        NDArray found = spectra.get("1, :, 2").real();
        assertThat(found.getFloat(1, 0)).isCloseTo(expected[2], within(1e-5f));
        assertThat(found.getFloat(3, 1)).isCloseTo(expected[7], within(1e-5f));
        NDArray normal = signals.stft(6, 4, false, window, true, false);
        assertThat(normal.getFloat(1, 1, 2, 0)).isCloseTo(expected[2] / (float) Math.sqrt(6), within(1e-5f));
    }

    @Test
    void centredFramesBeginWithTheMirroredSignal() {
        NDArray signal = manager.arange(9f);
        NDArray spectra = signal.stft(4, 3, true, manager.ones(new Shape(4)), false, true);
        assertThat(spectra.getShape()).isEqualTo(new Shape(3, 4));
        float[] first = spectrum(new float[] {2, 1, 0, 1}, 4);
        assertThat(spectra.get(":, 0").real().flatten().toFloatArray())
                .containsExactly(Arrays.copyOf(first, 6), within(1e-5f));
        float[] last = spectrum(new float[] {7, 8, 7, 6}, 4);
        assertThat(spectra.get(":, 3").real().flatten().toFloatArray())
                .containsExactly(Arrays.copyOf(last, 6), within(1e-5f));
        assertThatThrownBy(() -> signal.stft(8, 3, true, manager.ones(new Shape(4)), false, true))
                .hasMessageContaining("have no frames of 8");
    }
}
