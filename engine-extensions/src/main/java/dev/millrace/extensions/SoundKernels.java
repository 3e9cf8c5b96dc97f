package dev.millrace.extensions;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.kernel.DynamicContext;
import dev.millrace.scheduler.kernel.DynamicKernel;
import dev.millrace.text.speech.SincResampling;
import dev.millrace.text.speech.WavFile;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/** The kernels of sounds, which models of speech have in front. */
final class SoundKernels {
    private SoundKernels() {}

    /** Decodes WAV files to samples from -1 to 1, {@code [1, samples]}. */
    static DynamicKernel decoder(Node node) {
        int rate = Math.toIntExact(node.attributes().integer("downsampling_rate", 0));
        boolean isMixed = node.attributes().flag("stereo_to_mono", false);
        return context -> {
            requireWav(node, context);
            WavFile.Sound sound;
            try {
                sound = WavFile.read(context.tensor(0).segment().toArray(ValueLayout.JAVA_BYTE));
            } catch (EngineException e) {
                throw e.at(node.describe());
            }
            if (sound.channels() > 1 && !isMixed) {
                throw EngineException.notImplemented(node.describe() + ": a sound of " + sound.channels()
                        + " channels without stereo_to_mono, which makes one of them");
            }
            float[] samples = rate > 0 && rate < sound.rate()
                    ? SincResampling.resample(sound.samples(), sound.rate(), rate)
                    : sound.samples();
            context.output(0, Tensor.copyOf(samples, 1, samples.length));
        };
    }

    private static void requireWav(Node node, DynamicContext context) {
        if (context.inputCount() < 2 || context.input(1) == null) {
            return;
        }
        String[] format = context.tensor(1).strings();
        if (format.length > 0 && !format[0].isEmpty() && !format[0].equals("wav")) {
            throw EngineException.notImplemented(
                    node.describe() + ": the format '" + format[0] + "'; sounds are WAV files here");
        }
    }

    /** Computes the squared magnitudes of a short-time Fourier transform, {@code [1, frequencies, frames]}. */
    static DynamicKernel stftNorm(Node node) {
        return context -> {
            float[] samples = context.tensor(0).floats();
            int size = number(node, context, 1, "n_fft");
            int hop = number(node, context, 2, "hop_length");
            float[] window = context.tensor(3).floats();
            int length = number(node, context, 4, "frame_length");
            if (window.length != length || length != size) {
                throw EngineException.invalidArgument(node.describe() + ": a window of " + window.length
                        + " samples, a frame of " + length + " and a transform of " + size
                        + "; the three are equally long");
            }
            var transform = new PowerSpectrum(window, hop);
            int frames = transform.frames(samples.length);
            float[] made = new float[Math.multiplyExact(transform.frequencies(), frames)];
            for (int frame = 0; frame < frames; frame++) {
                context.checkCancelled();
                transform.write(samples, frame, frames, made);
            }
            context.output(0, Tensor.copyOf(made, 1, transform.frequencies(), frames));
        };
    }

    private static int number(Node node, DynamicContext context, int input, String name) {
        long[] value = context.tensor(input).longs();
        if (value.length != 1 || value[0] < 1 || value[0] > Short.MAX_VALUE) {
            throw EngineException.invalidArgument(node.describe() + ": " + name + " is " + Arrays.toString(value)
                    + "; it is one number from 1 to " + Short.MAX_VALUE);
        }
        return (int) value[0];
    }
}
