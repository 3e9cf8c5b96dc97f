package dev.millrace.kernels.attention;

import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.call.CallChecks;
import dev.millrace.kernels.call.CallPlan;
import dev.millrace.kernels.call.CallPlan.Argument;
import dev.millrace.kernels.call.CallPlan.Base;
import dev.millrace.kernels.call.Parallel;
import java.lang.foreign.MemorySegment;

/**
 * Pairs of elements of each head, turned by angles of their place: {@code x cos - y sin} and {@code x sin + y cos}. Safe
 * for use by several threads.
 */
public final class RotaryEmbedding {
    /** Rows of a call, at most. */
    private static final long ROWS_PER_CALL = 256;

    private static final long WORK_PER_PAIR = 8;

    private final Rows in;
    private final Rows out;
    private final Shape shape;
    private final CallPlan plan;

    /**
     * @param pairs of a head, which are its first elements
     * @param size elements of a head
     * @param neighbours whether a pair lies side by side; else the second ones follow all first ones
     */
    public record Shape(int batch, int heads, int places, int pairs, int size, boolean neighbours) {
        public Shape {
            if (batch < 1 || heads < 1 || places < 1 || pairs < 1 || size < 2L * pairs) {
                throw new IllegalArgumentException("a rotation of " + pairs + " pairs of " + batch + " times " + heads
                        + " heads of " + size + " elements at " + places + " places");
            }
        }

        private long angles() {
            return (long) batch * places * pairs;
        }
    }

    /** How many elements apart the batches, heads and places of a tensor are. */
    public record Rows(long batch, long head, long place) {
        public Rows {
            if (batch < 0 || head < 0 || place < 0) {
                throw new IllegalArgumentException("heads " + batch + ", " + head + " and " + place + " apart");
            }
        }

        private long elements(Shape shape) {
            long first = Math.addExact(
                    Math.multiplyExact(shape.batch() - 1L, batch), Math.multiplyExact(shape.heads() - 1L, head));
            return Math.addExact(first, Math.addExact(Math.multiplyExact(shape.places() - 1L, place), shape.size()));
        }
    }

    public RotaryEmbedding(KernelSet kernels, Shape shape, Rows in, Rows out) {
        this.shape = shape;
        this.in = in;
        this.out = out;
        boolean byPlaces = shape.places() >= shape.heads();
        int inner = byPlaces ? shape.places() : shape.heads();
        int outer = byPlaces ? shape.heads() : shape.places();
        var calls = new CallPlan.Builder(kernels);
        for (int batch = 0; batch < shape.batch(); batch++) {
            for (int i = 0; i < outer; i++) {
                for (long k = 0; k < inner; k += ROWS_PER_CALL) {
                    long rows = Math.min(ROWS_PER_CALL, inner - k);
                    long head = byPlaces ? i : k;
                    long place = byPlaces ? k : i;
                    call(calls, byPlaces, rows, new long[] {batch, head, place});
                }
            }
        }
        plan = calls.build();
    }

    private void call(CallPlan.Builder calls, boolean byPlaces, long rows, long[] first) {
        long angles = 4L * shape.pairs() * (first[0] * shape.places() + first[2]);
        calls.call(
                RotaryEmbeddingKernel.key(shape.neighbours()),
                rows * (WORK_PER_PAIR * shape.pairs() + shape.size()),
                Argument.at(Base.INPUT, 4 * (first[0] * in.batch() + first[1] * in.head() + first[2] * in.place())),
                Argument.at(Base.OUTPUT, 4 * (first[0] * out.batch() + first[1] * out.head() + first[2] * out.place())),
                Argument.at(Base.WEIGHTS, angles),
                Argument.at(Base.OTHER, angles),
                calls.sizes(
                        rows,
                        shape.pairs(),
                        shape.size() - 2L * shape.pairs(),
                        4 * (byPlaces ? in.place() : in.head()),
                        4 * (byPlaces ? out.place() : out.head()),
                        byPlaces ? 4L * shape.pairs() : 0));
        calls.endUnit();
    }

    /** @param cosines of batches, places and pairs, as are the sines */
    public void run(
            MemorySegment segment,
            MemorySegment cosines,
            MemorySegment sines,
            MemorySegment turned,
            Parallel parallel) {
        CallChecks.vector("the heads", segment, in.elements(shape));
        CallChecks.vector("the cosines", cosines, shape.angles());
        CallChecks.vector("the sines", sines, shape.angles());
        CallChecks.vector("the turned heads", turned, out.elements(shape));
        CallChecks.writable("the turned heads", turned);
        CallChecks.apart("the turned heads", turned, "the heads", segment);
        CallChecks.apart("the turned heads", turned, "the cosines", cosines);
        CallChecks.apart("the turned heads", turned, "the sines", sines);
        plan.run(
                CallPlan.Operands.of(1)
                        .with(Base.INPUT, segment, 0)
                        .with(Base.WEIGHTS, cosines, 0)
                        .with(Base.OTHER, sines, 0)
                        .with(Base.OUTPUT, turned, 0),
                parallel);
    }
}
