package dev.millrace.kernels.fft;

import dev.millrace.codegen.code.Recording;
import dev.millrace.codegen.key.KernelSet;
import dev.millrace.codegen.program.CompiledKernel;
import dev.millrace.codegen.program.Memory;
import dev.millrace.kernels.call.CallChecks;
import dev.millrace.kernels.call.DriverScratch;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.rows.RowPartitioner;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;

/**
 * Spectra of overlapping frames of signals under a window (short-time Fourier transform). Memory is native (heap memory
 * only where kernels are interpreted). Safe for use by several threads.
 */
public final class Spectra {
    private final KernelSet kernels;
    private final Sinusoids sinusoids;
    private final DriverScratch scratch = new DriverScratch();

    public Spectra(KernelSet kernels, Sinusoids sinusoids) {
        this.kernels = kernels;
        this.sinusoids = sinusoids;
    }

    /**
     * The division of signals into frames.
     *
     * @param signals the number of signals
     * @param length the length of a signal, which is also the distance of their starts
     * @param frames frames of a signal
     * @param hop the distance from one frame to the next
     */
    public record Frames(int signals, long length, int frames, int hop) {}

    /**
     * Computes spectra: for each signal a row of its frames for each cosine and for each sine, in the order that was
     * found.
     *
     * @param packed the tables of {@link Sinusoids#pack}, which found a transform
     */
    public void run(Frames frames, MemorySegment in, MemorySegment packed, MemorySegment out, Parallel parallel) {
        check(frames, in, packed, out);
        if (frames.signals == 0 || frames.frames == 0) {
            return;
        }
        int lanes = Math.min(frames.frames, kernels.target().lanes());
        CompiledKernel kernel = kernels.kernel(FrameSpectra.key(sinusoids.points(), lanes));
        long blocks = Math.ceilDiv(frames.frames, lanes);
        try {
            RowPartitioner.run(frames.signals * blocks, lanes * sinusoids.work(), parallel, (first, count) -> {
                Run run = new Run(kernel, lanes, frames, in, packed, out);
                for (long block = first; block < first + count; ) {
                    long now = Math.min(blocks - block % blocks, first + count - block);
                    run.some(block / blocks, block % blocks, now);
                    block += now;
                }
            });
        } finally {
            Reference.reachabilityFence(in);
            Reference.reachabilityFence(packed);
            Reference.reachabilityFence(out);
        }
    }

    private void check(Frames frames, MemorySegment in, MemorySegment packed, MemorySegment out) {
        int points = sinusoids.points();
        long ofSignal = CallChecks.windows("a signal", frames.frames, points, frames.hop);
        if (frames.signals < 0 || frames.length < ofSignal) {
            throw new IllegalArgumentException(frames + " of " + points + " points cannot be transformed");
        }
        long rows = 2L * sinusoids.frequencies();
        long results = Math.multiplyExact(Math.multiplyExact(rows, frames.frames), frames.signals);
        CallChecks.vector("the signals", in, Math.multiplyExact(frames.length, frames.signals));
        CallChecks.bytes("the tables", packed, sinusoids.packedBytes());
        CallChecks.vector("the spectra", out, results);
        CallChecks.writable("the spectra", out);
        CallChecks.apart("the spectra", out, "the signals", in);
        CallChecks.apart("the spectra", out, "the tables", packed);
        if (Sinusoids.order(packed) == Sinusoids.Order.NONE) {
            throw new IllegalArgumentException("the tables are of no transform");
        }
    }

    /** The computation of some frames on one thread. */
    private final class Run {
        private final Memory memory = kernels.newMemory();
        private final CompiledKernel kernel;
        private final int lanes;
        private final Frames frames;
        private final long signal;
        private final long spectrum;
        private final long tables;
        private final long work;
        private final long distances;

        Run(
                CompiledKernel kernel,
                int lanes,
                Frames frames,
                MemorySegment in,
                MemorySegment packed,
                MemorySegment out) {
            this.kernel = kernel;
            this.lanes = lanes;
            this.frames = frames;
            long workBytes = (long) sinusoids.points() * kernels.target().vectorBytes();
            MemorySegment own = scratch.atLeast(workBytes + FrameSpectra.DISTANCES);
            long row = (long) frames.frames * Float.BYTES;
            long half = sinusoids.frequencies() * row;
            boolean sinesFirst = Sinusoids.order(packed) == Sinusoids.Order.SINES_FIRST;
            MemorySegment numbers = own.asSlice(workBytes, FrameSpectra.DISTANCES);
            numbers.setAtIndex(ValueLayout.JAVA_LONG, 0, (long) frames.hop * Float.BYTES);
            numbers.setAtIndex(ValueLayout.JAVA_LONG, 1, row);
            numbers.setAtIndex(ValueLayout.JAVA_LONG, 2, sinesFirst ? -half : half);
            signal = memory.pointer(in);
            spectrum = memory.pointer(out) + (sinesFirst ? half : 0);
            tables = memory.pointer(packed);
            work = memory.pointer(own);
            distances = Recording.arguments(numbers, work + workBytes);
        }

        /**
         * Computes some blocks of frames of a signal; the last one overlaps the one before where it would not be full.
         */
        void some(long number, long block, long count) {
            long first = block * lanes;
            long last = first + count * lanes;
            long full = last > frames.frames ? count - 1 : count;
            if (full > 0) {
                call(number, first, full);
            }
            if (full < count) {
                call(number, frames.frames - lanes, 1);
            }
        }

        private void call(long number, long frame, long blocks) {
            long results = 2L * sinusoids.frequencies() * frames.frames;
            kernel.call(
                    memory,
                    signal + Float.BYTES * (number * frames.length + frame * frames.hop),
                    spectrum + Float.BYTES * (number * results + frame),
                    tables,
                    work,
                    blocks,
                    distances);
        }
    }
}
