package dev.millrace.kernels.layout;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.Interleaving;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarOp;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.VectorVar;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Pixels of a few channels, dense, become a plane for each channel, or are made of planes: a {@link LoopNest} whose inner
 * loop is over pixels, at least {@link #step} of them, and whose middle loop is over channels. The parameter
 * {@code planes} is 1 if planes are written, 0 if they are read.
 */
final class PixelTranspose implements KernelFamily {
    static final int MIN_CHANNELS = 2;
    static final int MAX_CHANNELS = 4;

    static final String NAME = "layout.pixels";

    static KernelKey key(int bytes, int channels, boolean toPlanes) {
        return KernelKey.of(NAME)
                .with("bytes", bytes)
                .with("channels", channels)
                .with("planes", toPlanes ? 1 : 0);
    }

    /** Whether there are kernels for elements of so many bytes. */
    static boolean takes(long bytes) {
        return bytes <= Integer.BYTES;
    }

    /** Pixels that are done at a time. */
    static int step(Target target, int bytes) {
        return target.vectorBytes() / bytes;
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        key.onlyHas("bytes", "channels", "planes");
        return new Writer(key, target).program();
    }

    private static final class Writer {
        private final ProgramBuilder builder;
        private final int bytes;
        private final int channels;
        private final boolean toPlanes;
        private final int vectorBytes;
        private final LoopNest nest;
        private final ScalarVar plane;
        private final Interleaving words;
        private final WordParts parts;

        Writer(KernelKey key, Target target) {
            bytes = key.powerOfTwo("bytes", Integer.BYTES);
            channels = key.number("channels", MIN_CHANNELS, MAX_CHANNELS);
            toPlanes = key.number("planes", 0, 1) == 1;
            vectorBytes = target.vectorBytes();
            builder = new ProgramBuilder(key.toString(), target);
            nest = new LoopNest(builder);
            plane = toPlanes ? nest.middleTo() : nest.middleFrom();
            words = new Interleaving(builder, channels);
            parts = new WordParts(builder, bytes);
        }

        Program program() {
            int step = step(builder.target(), bytes);
            try (var _ = builder.loop(nest.outer, 1)) {
                ScalarVar pixels = builder.copy(toPlanes ? nest.from : nest.to, "pixels");
                ScalarVar planes = builder.copy(toPlanes ? nest.to : nest.from, "planes");
                ScalarVar left = builder.copy(nest.inner, "left");
                try (var _ = builder.loop(left, step)) {
                    some(pixels, planes);
                    builder.advance(pixels, channels * vectorBytes);
                    builder.advance(planes, vectorBytes);
                }
                try (var _ = builder.ifNotZero(left)) {
                    builder.scalar(left, ScalarOp.SUB, left, step);
                    builder.scalar(left, ScalarOp.MUL, left, bytes);
                    builder.advance(planes, left);
                    builder.scalar(left, ScalarOp.MUL, left, channels);
                    builder.advance(pixels, left);
                    some(pixels, planes);
                }
                nest.nextOuter();
            }
            return builder.build();
        }

        private void some(ScalarVar pixels, ScalarVar planes) {
            if (toPlanes) {
                store(channels(words.apart(load(pixels, null))), planes, plane);
            } else {
                store(words.together(words(load(planes, plane))), pixels, null);
            }
        }

        private List<VectorVar> load(ScalarVar from, @Nullable ScalarVar stride) {
            List<VectorVar> loaded = new ArrayList<>();
            ScalarVar at = builder.copy(from, "at");
            for (int i = 0; i < channels; i++) {
                loaded.add(builder.load(Address.at(at, stride == null ? i * vectorBytes : 0)));
                if (stride != null) {
                    builder.advance(at, stride);
                }
            }
            return loaded;
        }

        private void store(List<VectorVar> vectors, ScalarVar to, @Nullable ScalarVar stride) {
            ScalarVar at = builder.copy(to, "at");
            for (int i = 0; i < channels; i++) {
                builder.store(Address.at(at, stride == null ? i * vectorBytes : 0), vectors.get(i));
                if (stride != null) {
                    builder.advance(at, stride);
                }
            }
        }

        /** A lane has some pixels: in as many words as there are channels all of them, or in one word one channel. */
        private List<VectorVar> channels(List<VectorVar> ofPixels) {
            List<VectorVar> all = new ArrayList<>();
            for (int channel = 0; channel < channels; channel++) {
                List<VectorVar> pixels = new ArrayList<>();
                for (int pixel = 0; pixel < parts.perWord(); pixel++) {
                    int element = pixel * channels + channel;
                    VectorVar word = ofPixels.get(element / parts.perWord());
                    pixels.add(parts.moved(word, element % parts.perWord(), pixel));
                }
                all.add(parts.joined(pixels));
            }
            return all;
        }

        /** The other way round. */
        private List<VectorVar> words(List<VectorVar> ofChannels) {
            List<VectorVar> all = new ArrayList<>();
            for (int word = 0; word < channels; word++) {
                List<VectorVar> elements = new ArrayList<>();
                for (int place = 0; place < parts.perWord(); place++) {
                    int element = word * parts.perWord() + place;
                    elements.add(parts.moved(ofChannels.get(element % channels), element / channels, place));
                }
                all.add(parts.joined(elements));
            }
            return all;
        }
    }
}
