package dev.millrace.text.speech;

import dev.millrace.graph.EngineException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/** WAV files (RIFF) of linear PCM or of floats. */
public final class WavFile {
    private static final int RIFF = 0x46464952;
    private static final int WAVE = 0x45564157;
    private static final int FORMAT = 0x20746d66;
    private static final int DATA = 0x61746164;
    private static final int PCM = 1;
    private static final int FLOATS = 3;
    private static final int EXTENSIBLE = 0xfffe;

    private WavFile() {}

    /** The format of the samples. */
    private record Format(int kind, int channels, int rate, int bits) {}

    /**
     * The content of a file.
     *
     * @param samples the samples from -1 to 1; several channels became their mean
     * @param rate the number of samples of a second
     * @param channels the number of channels of the file
     */
    public record Sound(float[] samples, int rate, int channels) {}

    /**
     * Returns the samples of a file, from -1 to 1. Several channels become their mean.
     *
     * @param rate the samples of a second that are wanted; a file with another rate is refused
     */
    public static float[] samples(byte[] content, int rate) {
        Sound sound = read(content);
        if (sound.rate() != rate) {
            throw refused("it has " + sound.rate() + " samples per second, and the model hears " + rate
                    + "; convert it, say by ffmpeg -ar " + rate);
        }
        return sound.samples();
    }

    /** Reads a file of any rate. */
    public static Sound read(byte[] content) {
        ByteBuffer in = ByteBuffer.wrap(content).order(ByteOrder.LITTLE_ENDIAN);
        try {
            int riff = in.getInt();
            in.getInt();
            if (riff != RIFF || in.getInt() != WAVE) {
                throw refused("it does not begin as a RIFF file of WAVE; convert other formats, say by ffmpeg");
            }
            return chunks(in);
        } catch (BufferUnderflowException e) {
            throw refused("it ends early");
        }
    }

    private static EngineException refused(String why) {
        return EngineException.invalidArgument("a WAV file cannot be read: " + why);
    }

    private static Sound chunks(ByteBuffer in) {
        Format format = null;
        while (true) {
            int name = in.getInt();
            long size = Integer.toUnsignedLong(in.getInt());
            if (name == DATA) {
                Format known = checked(format);
                float[] samples = samples(in, (int) Math.min(size, in.remaining()), known);
                return new Sound(samples, known.rate(), known.channels());
            }
            // a chunk has an even length
            long next = in.position() + size + size % 2;
            if (name == FORMAT) {
                format = format(in);
            }
            if (next > in.limit()) {
                throw new BufferUnderflowException();
            }
            in.position((int) next);
        }
    }

    private static Format format(ByteBuffer in) {
        int kind = Short.toUnsignedInt(in.getShort());
        int channels = Short.toUnsignedInt(in.getShort());
        int rate = in.getInt();
        in.getInt();
        in.getShort();
        int bits = Short.toUnsignedInt(in.getShort());
        if (kind == EXTENSIBLE) {
            in.getLong();
            kind = Short.toUnsignedInt(in.getShort());
        }
        return new Format(kind, channels, rate, bits);
    }

    private static Format checked(@Nullable Format format) {
        if (format == null || format.channels() == 0) {
            throw refused("it declares no format or no channels");
        }
        boolean isKnown = format.kind() == PCM
                ? format.bits() % 8 == 0 && format.bits() >= 8 && format.bits() <= 32
                : format.kind() == FLOATS && (format.bits() == 32 || format.bits() == 64);
        if (!isKnown) {
            throw EngineException.notImplemented("a WAV file of format " + format.kind() + " with " + format.bits()
                    + " bits; formats 1 (PCM of 8 to 32 bits) and 3 (floats) are read");
        }
        return format;
    }

    private static float[] samples(ByteBuffer in, int size, Format format) {
        float[] samples = new float[size / (format.channels() * format.bits() / 8)];
        for (int i = 0; i < samples.length; i++) {
            double sum = 0;
            for (int channel = 0; channel < format.channels(); channel++) {
                sum += sample(in, format);
            }
            samples[i] = (float) (sum / format.channels());
        }
        return samples;
    }

    private static double sample(ByteBuffer in, Format format) {
        if (format.kind() == FLOATS) {
            return format.bits() == 32 ? in.getFloat() : in.getDouble();
        }
        if (format.bits() == 8) {
            return (Byte.toUnsignedInt(in.get()) - 128) / 128.0;
        }
        int value = 0;
        for (int shift = 32 - format.bits(); shift < 32; shift += 8) {
            value |= Byte.toUnsignedInt(in.get()) << shift;
        }
        return value / 0x1p31;
    }
}
