package dev.millrace.pipelines.audio;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.pipelines.StageArguments;
import dev.millrace.text.speech.LogMel;
import dev.millrace.text.speech.SincResampling;
import dev.millrace.text.speech.WavFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;

/** A sound of one channel: samples from -1 to 1 at a rate. Its methods return new clips and change none. */
public final class AudioClip {
    private static final float FULL_SCALE = 32768;
    private static final long NANOS = 1_000_000_000;

    private final float[] samples;
    private final int rate;

    private AudioClip(float[] samples, int rate) {
        this.samples = samples;
        this.rate = rate;
    }

    /**
     * Returns a clip over this very array.
     *
     * @param rate the number of samples of a second
     */
    public static AudioClip wrap(float[] samples, int rate) {
        return new AudioClip(StageArguments.require(samples, "samples"), StageArguments.positive(rate, "rate"));
    }

    /** Returns a clip of PCM samples of 16 bits. */
    public static AudioClip ofPcm(short[] samples, int rate) {
        float[] floats = new float[StageArguments.require(samples, "samples").length];
        for (int i = 0; i < floats.length; i++) {
            floats[i] = samples[i] / FULL_SCALE;
        }
        return wrap(floats, rate);
    }

    /** Reads a WAV file of linear PCM or of floats. Several channels become their mean. */
    public static AudioClip read(Path file) throws IOException {
        return decode(Files.readAllBytes(StageArguments.require(file, "file")));
    }

    /** Decodes the content of a WAV file. */
    public static AudioClip decode(byte[] content) {
        WavFile.Sound sound = WavFile.read(StageArguments.require(content, "content"));
        return wrap(sound.samples(), sound.rate());
    }

    /** Returns the samples themselves, not a copy. */
    public float[] samples() {
        return samples;
    }

    /** The number of samples of a second. */
    public int rate() {
        return rate;
    }

    public Duration duration() {
        return Duration.ofNanos(Math.round((double) samples.length * NANOS / rate));
    }

    /** Returns this clip at another rate, without the frequencies that it cannot have. */
    public AudioClip resampled(int toRate) {
        StageArguments.positive(toRate, "rate");
        return toRate == rate ? this : new AudioClip(SincResampling.resample(samples, rate, toRate), toRate);
    }

    /** Returns the samples from one to before another. */
    public AudioClip part(int from, int to) {
        if (from < 0 || to < from || to > samples.length) {
            throw EngineException.invalidArgument(
                    "a sound of " + samples.length + " samples has no part from " + from + " to " + to);
        }
        return new AudioClip(Arrays.copyOfRange(samples, from, to), rate);
    }

    /**
     * Returns Whisper's log-mel spectrogram of the first 30 seconds, {@code [1, bins, 3000]}, with silence behind a shorter clip.
     *
     * @param bins the number of mel filters, 80 or 128
     */
    public Tensor logMel(int bins) {
        StageArguments.positive(bins, "bins");
        float[] heard = resampled(LogMel.RATE).samples;
        return Tensor.copyOf(LogMel.of(heard, bins).window(0, LogMel.WINDOW), 1, bins, LogMel.WINDOW);
    }

    @Override
    public String toString() {
        return "sound of " + duration() + " at " + rate + " Hz";
    }
}
