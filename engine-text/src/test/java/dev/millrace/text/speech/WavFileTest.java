package dev.millrace.text.speech;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import javax.sound.sampled.AudioFileFormat;
import javax.sound.sampled.AudioFormat;
import javax.sound.sampled.AudioInputStream;
import javax.sound.sampled.AudioSystem;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files are read as the JDK has written them. */
class WavFileTest {
    private static byte[] file(int bits, int channels, double... samples) throws IOException {
        boolean isSigned = bits > 8;
        int bytes = bits / 8;
        byte[] data = new byte[samples.length * bytes];
        for (int i = 0; i < samples.length; i++) {
            long value = Math.round(samples[i] * (1L << (bits - 1))) + (isSigned ? 0 : 128);
            for (int b = 0; b < bytes; b++) {
                data[i * bytes + b] = (byte) (value >> (8 * b));
            }
        }
        var format = new AudioFormat(16000, bits, channels, isSigned, false);
        var out = new ByteArrayOutputStream();
        var in = new AudioInputStream(new ByteArrayInputStream(data), format, samples.length / channels);
        AudioSystem.write(in, AudioFileFormat.Type.WAVE, out);
        return out.toByteArray();
    }

    @ParameterizedTest
    @ValueSource(ints = {8, 16, 24, 32})
    void samplesOfEachSizeAreRead(int bits) throws IOException {
        float[] read = WavFile.samples(file(bits, 1, 0, 0.5, -0.25, -1), 16000);
        Offset<Float> exact = within(0f);
        assertThat(read).containsExactly(new float[] {0, 0.5f, -0.25f, -1}, exact);
    }

    @Test
    void channelsBecomeTheirMean() throws IOException {
        assertThat(WavFile.samples(file(16, 2, 0.5, 0, -0.5, 0.25), 16000)).containsExactly(0.25f, -0.125f);
    }

    @Test
    void otherFilesAreRefused() throws IOException {
        byte[] file = file(16, 1, 0, 0.5);
        assertThatThrownBy(() -> WavFile.samples(file, 8000)).hasMessageContaining("16000 samples per second");
        assertThatThrownBy(() -> WavFile.samples(Arrays.copyOf(file, 30), 16000))
                .hasMessageContaining("ends early");
        assertThatThrownBy(() -> WavFile.samples(new byte[50], 16000)).hasMessageContaining("RIFF");
        byte[] compressed = file.clone();
        compressed[20] = 2;
        assertThatThrownBy(() -> WavFile.samples(compressed, 16000)).hasMessageContaining("format 2 with 16 bits");
        byte[] cut = Arrays.copyOf(file, file.length - 2);
        assertThat(WavFile.samples(cut, 16000))
                .as("a recording that was stopped")
                .hasSize(1);
    }
}
