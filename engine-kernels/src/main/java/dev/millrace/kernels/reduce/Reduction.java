package dev.millrace.kernels.reduce;

import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.call.CallChecks;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.cast.NumberType;
import dev.millrace.kernels.reduce.ReduceOp.After;
import dev.millrace.kernels.reduce.ReduceOp.Before;
import dev.millrace.kernels.reduce.ReduceOp.Combine;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The reduction of a dense tensor over some of its axes. Floats of 16 bits are reduced as floats of 32; ints wrap
 * around, and means of them lose their fraction. Safe for use by several threads.
 */
public final class Reduction {
    private static final NumberType WORD = NumberType.F32;

    /** A stage with its kernels, and the call that combines the results of its parts. */
    private record Step(
            ReduceStage stage, StageCall call, @Nullable StageCall ofParts) {
        static Step of(KernelSet kernels, ReduceStage stage, NumberType type, Combine combine, Before before) {
            StageCall ofParts =
                    stage.parts() > 1 ? call(kernels, stage.ofParts(), word(type), combine, Before.NONE) : null;
            return new Step(stage, call(kernels, stage, type, combine, before), ofParts);
        }

        private static StageCall call(
                KernelSet kernels, ReduceStage stage, NumberType type, Combine combine, Before before) {
            return isWide(type)
                    ? new WideStage(stage, type, combine)
                    : new StageRun(kernels, stage, new ReduceSteps.Kind(type, combine, before));
        }

        void run(
                MemorySegment in,
                MemorySegment out,
                MemorySegment partials,
                @Nullable MemorySegment shift,
                Parallel parallel) {
            call.run(in, ofParts == null ? out : partials, shift, parallel);
            if (ofParts != null) {
                ofParts.run(partials, out, null, parallel);
            }
        }
    }

    private static boolean isWide(NumberType type) {
        return type.bits() > Integer.SIZE;
    }

    /** The element type between the first stage and the last. */
    private static NumberType word(NumberType type) {
        return type.isFloat() && !isWide(type) ? WORD : type;
    }

    private final ReduceOp op;
    private final NumberType type;
    private final long numbers;
    private final long results;
    private final long divisor;
    private final boolean divides;
    private final long wordBytes;
    private final Step[] steps;
    /** The stages of the maxima, which logarithms of sums of exponentials need first. */
    private final Step[] greatest;

    private final @Nullable FinishCall finish;
    private final @Nullable FinishCall finite;
    private final @Nullable FinishCall logarithms;
    private final @Nullable OverflowSafeNorm lost;
    private final long most;
    private final long partials;

    /**
     * @param axes the axes that are reduced, each once; none means that single numbers are reduced
     * @throws IllegalArgumentException if the operation does not support the type, or an extent or an axis is wrong
     */
    public Reduction(KernelSet kernels, ReduceOp op, NumberType type, long[] shape, int... axes) {
        boolean floats = type.isFloat() && type.fitsLane();
        boolean numbersAtAll = type == NumberType.S32 || type == NumberType.S64 || type == NumberType.F64;
        if (!floats && !(numbersAtAll && op.isOfAllNumbers())) {
            throw new IllegalArgumentException("there is no " + op + " of " + type);
        }
        this.op = op;
        this.type = type;
        for (long extent : shape) {
            if (extent < 0) {
                throw new IllegalArgumentException("there is no tensor of shape " + Arrays.toString(shape));
            }
        }
        boolean[] reduced = new boolean[shape.length];
        for (int axis : axes) {
            if (axis < 0 || axis >= shape.length || reduced[axis]) {
                throw new IllegalArgumentException("axis " + axis + " of " + Arrays.toString(axes)
                        + " is there twice, or is none of " + shape.length);
            }
            reduced[axis] = true;
        }
        numbers = product(shape, IntStream.range(0, shape.length));
        results = product(shape, IntStream.range(0, shape.length).filter(i -> !reduced[i]));
        divisor = product(shape, Arrays.stream(axes));
        List<ReduceStage> stages = numbers == 0 ? List.of() : ReduceStage.of(shape, reduced);
        boolean exponentials = op.before() == Before.EXP;
        steps = new Step[stages.size()];
        greatest = new Step[exponentials ? steps.length : 0];
        for (int i = 0; i < steps.length; i++) {
            NumberType read = i == 0 ? type : word(type);
            Before before = i == 0 || exponentials ? op.before() : Before.NONE;
            steps[i] = Step.of(kernels, stages.get(i), read, op.combine(), before);
            if (exponentials) {
                greatest[i] = Step.of(kernels, stages.get(i), read, Combine.MAX, Before.NONE);
            }
        }
        divides = !floats && op.after() == After.DIVIDE;
        wordBytes = word(type).bytes(1);
        boolean same = divides || word(type) == type && (op.after() == After.NONE || exponentials);
        finish = same ? null : new FinishCall(kernels, exponentials ? After.NONE : op.after(), type, divisor);
        finite = exponentials ? new FinishCall(kernels, After.FINITE, WORD, divisor) : null;
        logarithms = exponentials ? new FinishCall(kernels, After.LOG_PLUS, WORD, divisor) : null;
        // // squares of 16 bits are always floats
        boolean mayLose = op == ReduceOp.L2 && type != NumberType.F16 && numbers > 0;
        lost = mayLose ? new OverflowSafeNorm(type, shape, reduced) : null;
        most = stages.stream().mapToLong(ReduceStage::results).max().orElse(0);
        partials = stages.stream().mapToLong(ReduceStage::partialResults).max().orElse(0);
    }

    private static long product(long[] shape, IntStream dimensions) {
        return dimensions.mapToLong(i -> shape[i]).reduce(1, Math::multiplyExact);
    }

    /** The number of results. */
    public long results() {
        return results;
    }

    /**
     * Whether kernels do all of the work: there are none for numbers of 64 bits, and roots of squares are checked in
     * Java.
     */
    public boolean isOfKernels() {
        return !isWide(type) && !divides && numbers > 0 && lost == null;
    }

    /** The scratch memory of a run in bytes. */
    public long scratchBytes() {
        return wordBytes * (3 * most + partials);
    }

    /**
     * Reduces. No segment may be freed before that is done.
     *
     * @param in native memory (heap memory only where kernels are interpreted), as all others
     * @param scratch {@link #scratchBytes} of memory, for this run alone
     * @throws IndexOutOfBoundsException if a segment is too short
     * @throws IllegalArgumentException if segments overlap
     */
    public void run(MemorySegment in, MemorySegment out, MemorySegment scratch, Parallel parallel) {
        CallChecks.bytes("the input of the reduction", in, type.bytes(numbers));
        CallChecks.bytes("the result of the reduction", out, type.bytes(results));
        CallChecks.bytes("the scratch memory of the reduction", scratch, scratchBytes());
        CallChecks.writable("the result of the reduction", out);
        CallChecks.apart("the result of the reduction", out, "its input", in);
        CallChecks.apart("the scratch memory of the reduction", scratch, "its input", in);
        CallChecks.apart("the scratch memory of the reduction", scratch, "its result", out);
        if (results == 0) {
            return;
        }
        if (numbers == 0) {
            ScalarReductions.fill(op, type, out, results);
            return;
        }
        MemorySegment[] between = {scratch.asSlice(0, wordBytes * most), scratch.asSlice(wordBytes * most)};
        MemorySegment shift = scratch.asSlice(wordBytes * 2 * most, wordBytes * most);
        MemorySegment parts = scratch.asSlice(wordBytes * 3 * most);
        MemorySegment from = in;
        for (int i = 0; i < steps.length; i++) {
            boolean last = i == steps.length - 1 && word(type) == type;
            MemorySegment to = last ? out : between[i % 2];
            if (finite == null || logarithms == null) {
                steps[i].run(from, to, parts, null, parallel);
            } else {
                long count = steps[i].stage().results();
                greatest[i].run(from, shift, parts, null, parallel);
                finite.run(shift, shift, null, count);
                steps[i].run(from, to, parts, shift, parallel);
                logarithms.run(to, to, shift, count);
            }
            from = to;
        }
        if (divides) {
            ScalarReductions.divide(type, out, results, divisor);
        } else if (finish != null) {
            finish.run(from, out, null, results);
        }
        if (lost != null) {
            lost.mend(in, out, parallel);
        }
    }
}
