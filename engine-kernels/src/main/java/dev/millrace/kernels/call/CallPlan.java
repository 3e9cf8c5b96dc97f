package dev.millrace.kernels.call;

import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.key.KernelSet;
import dev.millrace.codegen.program.CompiledKernel;
import dev.millrace.codegen.program.Memory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Calls of kernels, planned once for a shape. Each argument is an offset into an operand that is given when the calls
 * run. Calls are grouped into units: those of one unit run in their order, units run in any order and concurrently.
 */
public final class CallPlan {
    /** The operand from which an argument is counted. */
    public enum Base {
        /** None: the argument is a number. */
        NUMBER,
        INPUT,
        WEIGHTS,
        OUTPUT,
        /** A second output, or a second input. */
        OTHER,
        /** Numbers of the plan itself. */
        SIZES,
        /** Memory of one task. */
        SCRATCH
    }

    /** An argument of a call. */
    public record Argument(Base base, long offset) {
        public static Argument at(Base base, long offset) {
            return new Argument(base, offset);
        }

        public static Argument number(long value) {
            return new Argument(Base.NUMBER, value);
        }
    }

    /**
     * The distances in bytes from the operands of some calls to those of others; the operand {@code OTHER} has the
     * distance of the output.
     */
    public record Away(long input, long weights, long output) {}

    /**
     * The most calls of a plan: work that is cut into more has such small pieces that planning takes longer than
     * running.
     */
    public static final int MOST_CALLS = 1 << 19;

    private static final int ARGUMENTS = 6;
    private static final Base[] BASES = Base.values();
    /** Tasks for each thread where they need no memory of their own: faster threads then run more of them. */
    private static final int TASKS_PER_THREAD = 4;

    private final KernelSet set;
    private final CompiledKernel[] kernels;
    private final byte[] bases;
    private final long[] offsets;
    /** The first call of each unit, and the end of the last. */
    private final int[] units;
    /** The work before each unit, and the whole work. */
    private final long[] work;

    private final MemorySegment sizes;

    private CallPlan(Builder builder) {
        builder.endUnit();
        set = builder.set;
        kernels = builder.kernels.toArray(CompiledKernel[]::new);
        int calls = kernels.length;
        bases = Arrays.copyOf(builder.bases, calls * ARGUMENTS);
        offsets = Arrays.copyOf(builder.offsets, calls * ARGUMENTS);
        units = Arrays.copyOf(builder.units, builder.ended + 1);
        work = Arrays.copyOf(builder.work, builder.ended + 1);
        long bytes = Math.max(1, builder.usedLongs) * (long) Long.BYTES;
        sizes = Arena.ofAuto().allocate(bytes, Long.BYTES);
        MemorySegment.copy(MemorySegment.ofArray(builder.longs), 0, sizes, 0, (long) Long.BYTES * builder.usedLongs);
    }

    /** The number of calls for one image. */
    public int calls() {
        return kernels.length;
    }

    /**
     * The operands of a run.
     *
     * @param segments a segment for each {@link Base} that the plan uses
     * @param imageBytes bytes from one image of a batch to the next in each of them
     * @param images the number of times that the plan runs
     * @param scratchBytes bytes of the scratch memory for each task
     */
    public record Operands(@Nullable MemorySegment[] segments, long[] imageBytes, int images, long scratchBytes) {
        public static Operands of(int images) {
            return new Operands(new @Nullable MemorySegment[BASES.length], new long[BASES.length], images, 0);
        }

        public Operands with(Base base, @Nullable MemorySegment segment, long bytesPerImage) {
            segments[base.ordinal()] = segment;
            imageBytes[base.ordinal()] = bytesPerImage;
            return this;
        }

        public Operands withScratch(MemorySegment scratch, long bytesPerTask) {
            segments[Base.SCRATCH.ordinal()] = scratch;
            return new Operands(segments, imageBytes, images, bytesPerTask);
        }
    }

    /** @param ofThread the most tasks for each thread */
    private int tasks(int images, int threads, int ofThread) {
        int wanted = ofThread * threads;
        long total = images * work[work.length - 1];
        long most = Math.min(
                (long) images * (units.length - 1),
                Math.max(1, total / ParallelThresholds.least(ParallelThresholds.PRODUCTS, threads)));
        return (int) Math.max(1, Math.min(wanted, most));
    }

    public void run(Operands operands, Parallel parallel) {
        boolean shares = parallel.width() > 1 && operands.scratchBytes() == 0;
        int tasks = tasks(operands.images(), parallel.width(), shares ? TASKS_PER_THREAD : 1);
        if (tasks == 1) {
            task(operands, 0, 1, parallel);
        } else {
            parallel.run(tasks, task -> task(operands, task, tasks, parallel));
        }
    }

    private void task(Operands operands, int task, int tasks, Parallel parallel) {
        Memory memory = set.newMemory();
        long[] starts = new long[BASES.length];
        for (Base base : BASES) {
            MemorySegment segment = base == Base.SIZES ? sizes : operands.segments()[base.ordinal()];
            starts[base.ordinal()] = segment == null ? 0 : memory.pointer(segment);
        }
        starts[Base.SCRATCH.ordinal()] += task * operands.scratchBytes();
        long first = firstUnit(operands.images(), task, tasks);
        long end = firstUnit(operands.images(), task + 1, tasks);
        int unitsPerImage = units.length - 1;
        long[] now = new long[BASES.length];
        try {
            for (long unit = first; unit < end; unit++) {
                long image = unit / unitsPerImage;
                for (int i = 0; i < now.length; i++) {
                    now[i] = starts[i] + image * operands.imageBytes()[i];
                }
                int number = (int) (unit % unitsPerImage);
                for (int call = units[number]; call < units[number + 1]; call++) {
                    parallel.checkCancelled();
                    call(memory, call, now);
                }
            }
        } finally {
            Reference.reachabilityFence(operands);
            Reference.reachabilityFence(this);
        }
    }

    private void call(Memory memory, int call, long[] now) {
        int at = call * ARGUMENTS;
        kernels[call].call(
                memory,
                now[bases[at]] + offsets[at],
                now[bases[at + 1]] + offsets[at + 1],
                now[bases[at + 2]] + offsets[at + 2],
                now[bases[at + 3]] + offsets[at + 3],
                now[bases[at + 4]] + offsets[at + 4],
                now[bases[at + 5]] + offsets[at + 5]);
    }

    /** Returns the first unit of a task, counted over all images. */
    private long firstUnit(int images, int task, int tasks) {
        long ofImage = work[work.length - 1];
        long unitsPerImage = units.length - 1;
        if (task == tasks) {
            return images * unitsPerImage;
        }
        long before = images * ofImage / tasks * task;
        long image = ofImage == 0 ? 0 : before / ofImage;
        int found = Arrays.binarySearch(work, before - image * ofImage);
        long unit = found >= 0 ? found : nearest(-found - 1, before - image * ofImage);
        return image * unitsPerImage + unit;
    }

    private int nearest(int next, long before) {
        return work[next] - before < before - work[next - 1] ? next : next - 1;
    }

    /**
     * The builder of plans. It keeps calls in arrays, because there are thousands of them and this runs before anything
     * is compiled.
     */
    public static final class Builder {
        private static final int FIRST_CALLS = 32;

        private final KernelSet set;
        private final List<CompiledKernel> kernels = new ArrayList<>();
        private byte[] bases = new byte[FIRST_CALLS * ARGUMENTS];
        private long[] offsets = new long[FIRST_CALLS * ARGUMENTS];
        private int[] units = new int[FIRST_CALLS];
        private long[] work = new long[FIRST_CALLS];
        private int ended;
        private long[] longs = new long[FIRST_CALLS];
        private int usedLongs;
        private final Map<Numbers, Argument> blocks = new HashMap<>();
        private long workSoFar;

        public Builder(KernelSet set) {
            this.set = set;
        }

        /** Stores numbers in memory, for a kernel that has more of them than arguments. */
        public Argument sizes(long... numbers) {
            var block = new Numbers(numbers);
            Argument known = blocks.get(block);
            if (known != null) {
                return known;
            }
            if (usedLongs + numbers.length > longs.length) {
                longs = Arrays.copyOf(longs, 2 * longs.length + numbers.length);
            }
            System.arraycopy(numbers, 0, longs, usedLongs, numbers.length);
            Argument start = Argument.at(Base.SIZES, (long) Long.BYTES * usedLongs);
            usedLongs += numbers.length;
            blocks.put(block, start);
            return start;
        }

        /** Returns the kernel of a key, for planners that pass it to {@link #call(Kernel, long, Argument...)} often. */
        public CompiledKernel kernel(KernelKey key) {
            return set.trusted(key);
        }

        /** @param workOfCall multiplications and additions, or as many as take the same time */
        public void call(KernelKey key, long workOfCall, Argument... arguments) {
            call(kernel(key), workOfCall, arguments);
        }

        /** @param workOfCall multiplications and additions, or as many as take the same time */
        public void call(CompiledKernel kernel, long workOfCall, Argument... arguments) {
            if (arguments.length > ARGUMENTS) {
                throw new IllegalArgumentException(
                        kernel.name() + " is called with " + arguments.length + " arguments");
            }
            int at = room();
            for (Argument argument : arguments) {
                bases[at] = (byte) argument.base().ordinal();
                offsets[at] = argument.offset();
                at++;
            }
            kernels.add(kernel);
            workSoFar += workOfCall;
        }

        /** Returns the position of the arguments of the next call. */
        private int room() {
            if (kernels.size() == MOST_CALLS) {
                throw new TooManyCalls();
            }
            int at = kernels.size() * ARGUMENTS;
            if (at == bases.length) {
                bases = Arrays.copyOf(bases, 2 * at);
                offsets = Arrays.copyOf(offsets, 2 * at);
            }
            return at;
        }

        /** The number of units so far. */
        public int units() {
            return ended;
        }

        /**
         * Adds units again with other operands, so that work which differs by its position alone is not planned again.
         *
         * @param first the first unit, counted by {@link #units}
         * @param end the end of the units
         * @param away the distances in bytes from the operands of these units to those of the new ones
         */
        public void repeat(int first, int end, Away away) {
            long[] moved = new long[BASES.length];
            moved[Base.INPUT.ordinal()] = away.input();
            moved[Base.WEIGHTS.ordinal()] = away.weights();
            moved[Base.OUTPUT.ordinal()] = away.output();
            moved[Base.OTHER.ordinal()] = away.output();
            for (int unit = first; unit < end; unit++) {
                for (int call = units[unit]; call < units[unit + 1]; call++) {
                    repeat(call, moved);
                }
                workSoFar += work[unit + 1] - work[unit];
                endUnit();
            }
        }

        private void repeat(int call, long[] moved) {
            int at = room();
            int from = call * ARGUMENTS;
            for (int i = 0; i < ARGUMENTS; i++) {
                byte base = bases[from + i];
                bases[at + i] = base;
                offsets[at + i] = offsets[from + i] + moved[base];
            }
            kernels.add(kernels.get(call));
        }

        /** Ends a unit, which consists of the calls since the last end. */
        public void endUnit() {
            if (units[ended] == kernels.size()) {
                return;
            }
            ended++;
            if (ended == units.length) {
                units = Arrays.copyOf(units, 2 * ended);
                work = Arrays.copyOf(work, 2 * ended);
            }
            units[ended] = kernels.size();
            work[ended] = workSoFar;
        }

        public CallPlan build() {
            return new CallPlan(this);
        }
    }

    /** Numbers as the key of a map, equal where all of them are. */
    private static final class Numbers {
        private final long[] numbers;
        private final int hash;

        Numbers(long[] numbers) {
            this.numbers = numbers;
            hash = Arrays.hashCode(numbers);
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Numbers same && Arrays.equals(numbers, same.numbers);
        }

        @Override
        public int hashCode() {
            return hash;
        }
    }
}
