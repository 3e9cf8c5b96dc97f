package dev.millrace.extensions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class SoundsTest {
    /** Returns a WAV file of 16 bits with a tone of 500 Hz, half as loud in a second channel. */
    static byte[] wav(int channels, int rate, int samples) {
        ByteBuffer file = ByteBuffer.allocate(44 + samples * channels * 2).order(ByteOrder.LITTLE_ENDIAN);
        file.put("RIFF".getBytes(StandardCharsets.US_ASCII)).putInt(file.capacity() - 8);
        file.put("WAVEfmt ".getBytes(StandardCharsets.US_ASCII)).putInt(16);
        file.putShort((short) 1).putShort((short) channels).putInt(rate).putInt(rate * channels * 2);
        file.putShort((short) (channels * 2)).putShort((short) 16);
        file.put("data".getBytes(StandardCharsets.US_ASCII)).putInt(samples * channels * 2);
        for (int i = 0; i < samples; i++) {
            for (int channel = 1; channel <= channels; channel++) {
                file.putShort((short) (20000 * Math.sin(2 * Math.PI * 500 * i / rate) / channel));
            }
        }
        return file.array();
    }

    static OneNode decoder(byte[] file) {
        Tensor content = Tensor.allocate(ElementType.UINT8, Shape.of(1, file.length));
        MemorySegment.copy(MemorySegment.ofArray(file), 0, content.segment(), 0, file.length);
        return new OneNode("AudioDecoder", 1)
                .flag("stereo_to_mono", 1)
                .flag("downsampling_rate", 16000)
                .input(content);
    }

    static OneNode spectrum(int size, int hop, int length, int samples) {
        float[] sound = new float[samples];
        float[] window = new float[length];
        for (int i = 0; i < samples; i++) {
            sound[i] = (float) (Math.sin(0.3 * i) + 0.2 * Math.cos(1.7 * i));
        }
        for (int i = 0; i < length; i++) {
            window[i] = (float) (0.5 - 0.5 * Math.cos(2 * Math.PI * i / length));
        }
        return new OneNode("StftNorm", 1)
                .input(Tensor.copyOf(sound, 1, samples))
                .input(Tensor.copyOf(new long[] {size}, 1))
                .input(Tensor.copyOf(new long[] {hop}, 1))
                .input(Tensor.copyOf(window, length))
                .input(Tensor.copyOf(new long[] {length}, 1));
    }

    @Test
    void aSoundBecomesSamplesOfOneChannelAndRate() {
        float[] mono = decoder(wav(1, 16000, 320)).run().getFirst().floats();
        assertThat(mono[8]).isCloseTo(20000 / 32768f, within(1e-4f));
        Tensor stereo = decoder(wav(2, 16000, 320)).run().getFirst();
        assertThat(stereo.shape().toArray()).containsExactly(1, 320);
        assertThat(stereo.floats()[8]).isCloseTo(15000 / 32768f, within(1e-4f));
        float[] slower = decoder(wav(1, 48000, 960)).run().getFirst().floats();
        assertThat(slower).hasSize(320);
        assertThat(slower[168]).isCloseTo(mono[168], within(2e-2f));
        assertThatThrownBy(() -> decoder(new byte[20]).run())
                .hasMessageContaining("AudioDecoder")
                .hasMessageContaining("RIFF");
        assertThatThrownBy(() -> decoder(wav(1, 16000, 8)).input("mp3").run()).hasMessageContaining("'mp3'");
    }

    @Test
    void aSpectrumHasThePowerOfATone() {
        Tensor norms = spectrum(400, 160, 400, 3200).run().getFirst();
        assertThat(norms.shape().toArray()).containsExactly(1, 201, 21);
        float[] power = norms.floats();
        int loudest = 0;
        for (int frequency = 0; frequency < 201; frequency++) {
            loudest = power[frequency * 21 + 10] > power[loudest * 21 + 10] ? frequency : loudest;
        }
        // 0.3 of 2 pi, of 400 samples
        assertThat(loudest).isEqualTo((int) Math.round(0.3 * 400 / (2 * Math.PI)));
        assertThatThrownBy(() -> spectrum(100, 10, 200, 500).run()).hasMessageContaining("a window of 200 samples");
    }
}
