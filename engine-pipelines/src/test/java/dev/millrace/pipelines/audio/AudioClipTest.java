package dev.millrace.pipelines.audio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.millrace.graph.EngineException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AudioClipTest {
    private static AudioClip tone(double hertz, int rate, int samples) {
        float[] tone = new float[samples];
        for (int i = 0; i < samples; i++) {
            tone[i] = (float) Math.sin(2 * Math.PI * hertz * i / rate);
        }
        return AudioClip.wrap(tone, rate);
    }

    @ParameterizedTest
    @CsvSource({"11025,16000", "44100,16000", "48000,16000", "8000,16000", "16000,11025", "44101,16000", "16001,48000"})
    void aToneStaysATone(int rate, int toRate) {
        AudioClip changed = tone(440, rate, rate / 2).resampled(toRate);
        float[] expected = tone(440, toRate, changed.samples().length).samples();
        assertThat(changed.rate()).isEqualTo(toRate);
        assertThat(changed.samples().length).isBetween(toRate / 2 - 1, toRate / 2 + 1);
        // the ends lack the samples beyond them
        for (int i = 200; i < expected.length - 200; i++) {
            assertThat(changed.samples()[i]).as("sample %d", i).isCloseTo(expected[i], within(5e-3f));
        }
    }

    @Test
    void emptySoundsStayEmpty() {
        AudioClip empty = AudioClip.wrap(new float[0], 11025);
        assertThat(empty.resampled(16000).samples()).isEmpty();
        assertThat(empty.part(0, 0).duration()).isZero();
    }

    @ParameterizedTest
    @CsvSource({"-1,5", "5,2", "0,101", "200,300"})
    void aPartLiesInTheSound(int from, int to) {
        assertThatThrownBy(() -> AudioClip.wrap(new float[100], 16000).part(from, to))
                .isInstanceOf(EngineException.class)
                .hasMessage("a sound of 100 samples has no part from " + from + " to " + to);
    }

    @Test
    void aSoundWithoutRoomForItsSamplesIsRefused() {
        assertThatThrownBy(() -> AudioClip.wrap(new float[200_000], 1).resampled(16000))
                .hasMessageContaining("200000 samples at 1 Hz is too long");
    }
}
