package dev.millrace.kernels.attention;

import dev.millrace.codegen.key.KernelCache;
import dev.millrace.codegen.key.KernelSet;
import dev.millrace.codegen.program.CompiledKernel;
import dev.millrace.codegen.program.Memory;
import dev.millrace.kernels.attention.StateColumns.Size;
import dev.millrace.kernels.call.CallChecks;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.call.ParallelThresholds;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import org.jspecify.annotations.Nullable;

/**
 * Linear attention: each head has a state of keys by values, which fades, takes in a key and a value in each step, and
 * answers queries (Yang et al., "Gated Delta Networks", 2024). The state is updated in place. Safe for use by several
 * threads.
 */
public final class LinearAttention {
    /** Vectors of columns whose states stay in the first-level cache. */
    private static final int CACHED_BYTES = 1 << 15;

    private final KernelSet kernels;
    private final Rule rule;
    private final KernelCache<Strip> strips;

    /** The factors by which a state fades in each step. */
    public enum Decay {
        NONE,
        /** One for each head. */
        OF_HEAD,
        /** One for each row of the state. */
        OF_ROW
    }

    /** @param corrects whether a value is taken in less what the state has for its key, by a rate */
    public record Rule(Decay decay, boolean corrects) {}

    /**
     * The sizes of a call.
     *
     * @param heads of queries; a multiple of those of keys
     * @param depth elements of a key, which are rows of the state
     * @param valueDepth elements of a value, which are columns of the state
     */
    public record Shape(int batch, int steps, int heads, int keyHeads, int depth, int valueDepth) {
        int group() {
            return heads / keyHeads;
        }

        long stateElements() {
            return (long) batch * keyHeads * depth * valueDepth;
        }
    }

    /**
     * The operands by batch, step, head and element, without gaps.
     *
     * @param state by batch, head, row and column
     * @param decays given if and only if states fade
     * @param rates of each head, or one for all heads of a step; given if and only if values are corrected
     * @param rateHeads how many rates a step has
     */
    public record Operands(
            MemorySegment queries,
            MemorySegment keys,
            MemorySegment values,
            MemorySegment state,
            MemorySegment out,
            @Nullable MemorySegment decays,
            @Nullable MemorySegment rates,
            int rateHeads,
            float scale) {}

    private record Strip(int vectors, boolean masked) {}

    public LinearAttention(KernelSet kernels, Rule rule) {
        this.kernels = kernels;
        this.rule = rule;
        strips = new KernelCache<>(kernels, strip -> StateColumns.key(rule, strip.vectors(), strip.masked()));
    }

    /** The scratch memory that {@link #run} needs for a number of threads, in bytes. */
    public static long scratchBytes(int threads) {
        return (long) StateColumns.SIZES_BYTES * threads;
    }

    /**
     * Computes the output and the new state.
     *
     * @param scratch memory of this call alone, of {@link #scratchBytes} for the width of {@code parallel}
     */
    public void run(Shape shape, Operands operands, MemorySegment scratch, Parallel parallel) {
        check(shape, operands);
        int lanes = kernels.target().lanes();
        int width = lanes
                * Math.clamp(CACHED_BYTES / ((long) Float.BYTES * lanes * shape.depth()), 1, StateColumns.MAX_VECTORS);
        int ofHead = (shape.valueDepth() + width - 1) / width;
        long units = (long) shape.batch() * shape.keyHeads() * ofHead;
        long work = shape.stateElements() * shape.steps() * (2 + shape.group());
        int tasks = (int) Math.min(
                Math.min(parallel.width(), units),
                1 + work / ParallelThresholds.least(ParallelThresholds.PRODUCTS, parallel.width()));
        CallChecks.bytes("the scratch", scratch, scratchBytes(tasks));
        try {
            parallel.run(tasks, task -> {
                var part = new Part(shape, operands, scratch.asSlice(scratchBytes(task), scratchBytes(1)));
                for (long unit = units * task / tasks; unit < units * (task + 1) / tasks; unit++) {
                    parallel.checkCancelled();
                    int column = (int) (unit % ofHead) * width;
                    part.columns(unit / ofHead, column, Math.min(width, shape.valueDepth() - column));
                }
            });
        } finally {
            Reference.reachabilityFence(operands);
            Reference.reachabilityFence(scratch);
        }
    }

    private void check(Shape shape, Operands operands) {
        long rows = (long) shape.batch() * shape.steps();
        CallChecks.vector("Q", operands.queries(), rows * shape.heads() * shape.depth());
        CallChecks.vector("K", operands.keys(), rows * shape.keyHeads() * shape.depth());
        CallChecks.vector("V", operands.values(), rows * shape.keyHeads() * shape.valueDepth());
        CallChecks.vector("the state", operands.state(), shape.stateElements());
        CallChecks.vector("the output", operands.out(), rows * shape.heads() * shape.valueDepth());
        CallChecks.writable("the state", operands.state());
        CallChecks.writable("the output", operands.out());
        CallChecks.apart("the output", operands.out(), "the state", operands.state());
        for (MemorySegment read : new MemorySegment[] {operands.queries(), operands.keys(), operands.values()}) {
            CallChecks.apart("the output", operands.out(), "an operand", read);
            CallChecks.apart("the state", operands.state(), "an operand", read);
        }
        given("decays", rule.decay() != Decay.NONE, operands.decays(), rows * shape.keyHeads() * decays(shape));
        given("rates", rule.corrects(), operands.rates(), rows * operands.rateHeads());
        if (rule.corrects() && operands.rateHeads() != 1 && operands.rateHeads() != shape.keyHeads()) {
            throw new IllegalArgumentException(
                    operands.rateHeads() + " rates of a step for " + shape.keyHeads() + " heads");
        }
    }

    /** How many decays a head has in a step. */
    private int decays(Shape shape) {
        return rule.decay() == Decay.OF_ROW ? shape.depth() : 1;
    }

    private static void given(String name, boolean wanted, @Nullable MemorySegment segment, long elements) {
        if (wanted != (segment != null)) {
            throw new IllegalArgumentException(name + (wanted ? " are missing" : " are given, but not used"));
        }
        if (segment != null) {
            CallChecks.vector(name, segment, elements);
        }
    }

    /** The calls of one task. */
    private final class Part {
        private final Shape shape;
        private final Operands operands;
        private final MemorySegment sizes;
        private final Memory memory = kernels.newMemory();

        Part(Shape shape, Operands operands, MemorySegment sizes) {
            this.shape = shape;
            this.operands = operands;
            this.sizes = sizes;
            long key = (long) Float.BYTES * shape.depth();
            long value = (long) Float.BYTES * shape.valueDepth();
            put(Size.DEPTH, shape.depth());
            put(Size.GROUP, shape.group());
            put(Size.STATE_ROW, value);
            put(Size.QUERY_HEAD, key);
            put(Size.OUT_HEAD, value);
            sizes.set(ValueLayout.JAVA_FLOAT_UNALIGNED, StateColumns.SCALE, operands.scale());
        }

        private void put(Size size, long number) {
            sizes.setAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, size.ordinal(), number);
        }

        /** Computes some columns of a head, counted through the batch. */
        void columns(long headOfAll, int column, int count) {
            int lanes = kernels.target().lanes();
            int vectors = (count + lanes - 1) / lanes;
            int tail = count - (vectors - 1) * lanes;
            put(Size.TAIL, tail);
            CompiledKernel kernel = strips.kernel(new Strip(vectors, tail < lanes));
            long state = pointer(operands.state(), headOfAll * shape.depth() * shape.valueDepth() + column);
            long row = headOfAll / shape.keyHeads() * shape.steps();
            for (int step = 0; step < shape.steps(); step++) {
                step(kernel, state, row + step, headOfAll % shape.keyHeads(), column);
            }
        }

        private void step(CompiledKernel kernel, long state, long row, long head, int column) {
            long key = row * shape.keyHeads() + head;
            long query = row * shape.heads() + head * shape.group();
            put(Size.DECAY_POINTER, pointer(operands.decays(), key * decays(shape)));
            long rate = row * operands.rateHeads() + (operands.rateHeads() == 1 ? 0 : head);
            put(Size.RATE_POINTER, pointer(operands.rates(), rate));
            kernel.call(
                    memory,
                    state,
                    pointer(operands.queries(), query * shape.depth()),
                    pointer(operands.keys(), key * shape.depth()),
                    pointer(operands.values(), key * shape.valueDepth() + column),
                    pointer(operands.out(), query * shape.valueDepth() + column),
                    memory.pointer(sizes));
        }

        private long pointer(@Nullable MemorySegment segment, long element) {
            return segment == null ? 0 : memory.pointer(segment) + Float.BYTES * element;
        }
    }
}
