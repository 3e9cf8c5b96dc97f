package dev.millrace.text.speech;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Spectrograms are those of a discrete Fourier transform by its definition. */
class LogMelTest {
    private static final int SIZE = 400;
    private static final int FRAMES = 7;

    private static float[] sound(int samples) {
        var random = new Random(3);
        float[] sound = new float[samples];
        for (int i = 0; i < samples; i++) {
            double tone = Math.sin(2 * Math.PI * 440 * i / 16000) + 0.3 * Math.sin(2 * Math.PI * 3100 * i / 16000);
            sound[i] = (float) (0.2 * tone + 0.01 * random.nextGaussian());
        }
        return sound;
    }

    /** The power of a frame around a sample, mirrored in front of the first one. */
    private static double[] power(float[] sound, int middle) {
        double[] power = new double[SIZE / 2 + 1];
        for (int bin = 0; bin < power.length; bin++) {
            double re = 0;
            double im = 0;
            for (int i = 0; i < SIZE; i++) {
                int at = middle - SIZE / 2 + i;
                double sample = at < 0 ? sound[-at] : at < sound.length ? sound[at] : 0;
                double value = sample * Math.pow(Math.sin(Math.PI * i / SIZE), 2);
                re += value * Math.cos(2 * Math.PI * bin * i / SIZE);
                im -= value * Math.sin(2 * Math.PI * bin * i / SIZE);
            }
            power[bin] = re * re + im * im;
        }
        return power;
    }

    private static double slaney(double mel) {
        return mel < 15 ? mel * 200 / 3 : 1000 * Math.pow(6.4, (mel - 15) / 27);
    }

    private static double[][] filters(int bins) {
        double highest = 15 + 27 * Math.log(8) / Math.log(6.4);
        double[][] filters = new double[bins][SIZE / 2 + 1];
        for (int filter = 0; filter < bins; filter++) {
            double low = slaney(highest * filter / (bins + 1));
            double peak = slaney(highest * (filter + 1) / (bins + 1));
            double high = slaney(highest * (filter + 2) / (bins + 1));
            for (int bin = 0; bin <= SIZE / 2; bin++) {
                double rising = (bin * 40.0 - low) / (peak - low);
                double falling = (high - bin * 40.0) / (high - peak);
                filters[filter][bin] = Math.max(0, Math.min(rising, falling)) * 2 / (high - low);
            }
        }
        return filters;
    }

    @ParameterizedTest
    @ValueSource(ints = {80, 128})
    void theValuesAreThoseOfTheDefinition(int bins) {
        float[] sound = sound(FRAMES * 160 + 50);
        LogMel mel = LogMel.of(sound, bins);
        assertThat(mel.content()).isEqualTo(FRAMES);
        float[] window = mel.window(0, LogMel.WINDOW);
        assertThat(window).hasSize(bins * 3000);
        double[][] filters = filters(bins);
        double[][] logs = new double[FRAMES + 3][bins];
        double most = Double.NEGATIVE_INFINITY;
        for (int frame = 0; frame < logs.length; frame++) {
            double[] power = power(sound, frame * 160);
            for (int filter = 0; filter < bins; filter++) {
                double sum = 0;
                for (int bin = 0; bin < power.length; bin++) {
                    sum += filters[filter][bin] * power[bin];
                }
                logs[frame][filter] = Math.log10(Math.max(sum, 1e-10));
                most = Math.max(most, logs[frame][filter]);
            }
        }
        for (int frame = 0; frame < logs.length; frame++) {
            for (int filter = 0; filter < bins; filter++) {
                double expected = (Math.max(logs[frame][filter], most - 8) + 4) / 4;
                assertThat((double) window[filter * 3000 + frame])
                        .as("frame %s, filter %s", frame, filter)
                        .isCloseTo(expected, within(1e-6));
            }
        }
        double silence = (Math.max(-10, most - 8) + 4) / 4;
        assertThat((double) window[2999]).as("behind the samples").isCloseTo(silence, within(1e-6));
    }

    @Test
    void aWindowBeginsAnywhereAndHasZerosBehindItsFrames() {
        LogMel mel = LogMel.of(sound(160 * 3100), 80);
        float[] first = mel.window(0, 3000);
        float[] second = mel.window(2900, 200);
        for (int filter = 0; filter < 80; filter++) {
            assertThat(second[filter * 3000 + 50]).isEqualTo(first[filter * 3000 + 2950]);
            assertThat(second[filter * 3000 + 199]).isNotZero();
            assertThat(second[filter * 3000 + 200]).isZero();
        }
    }
}
