package dev.millrace.codegen.program.plain;

import dev.millrace.codegen.code.GuardedMemory;
import dev.millrace.codegen.program.CompiledKernel;
import dev.millrace.codegen.program.Memory;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.Step;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A run of a program that nobody has laid out memory for. The interpreter finds out which bytes the program touches for
 * some arguments, and what becomes of them; then a kernel of the same program is called with memory that has exactly
 * these bytes, between guard pages, and must leave the same behind.
 */
public final class Exploration {
    private static final int ATTEMPTS = 24;

    private final Program program;
    private final Roles roles;
    private final DrawnMemory memory;
    private final long[] arguments = new long[Program.MAX_PARAMETERS];

    private Exploration(Program program, Roles roles, DrawnMemory memory) {
        this.program = program;
        this.roles = roles;
        this.memory = memory;
    }

    /** A run with random arguments that the program accepts, or null if none were found. */
    public static @Nullable Exploration of(Program program, long seed) {
        RandomGenerator random = new SplittableRandom(seed);
        Roles roles = Roles.of(program);
        for (int i = 0; i < ATTEMPTS; i++) {
            Draw draw = new Draw(random, program.target().lanes(), i >= ATTEMPTS / 4);
            Exploration exploration = new Exploration(program, roles, new DrawnMemory(draw));
            if (exploration.interpret()) {
                return exploration;
            }
        }
        return null;
    }

    private boolean interpret() {
        for (int i = 0; i < program.parameters().size(); i++) {
            arguments[i] = memory.draw(roles.of(program.parameters().get(i)));
        }
        try {
            new Explorer().run(arguments);
            memory.regions().forEach(DrawnRegion::settle);
            return true;
        } catch (IndexOutOfBoundsException doNotFit) {
            return false;
        }
    }

    /** Says what each read is for. */
    private final class Explorer extends Interpreter {
        Explorer() {
            super(program, memory);
        }

        @Override
        public void load(Step.Load step) {
            memory.expect(roles.ofElements(step.to()));
            super.load(step);
        }

        @Override
        public void spread(Step.Spread step) {
            memory.expect(roles.ofElements(step.to()));
            super.spread(step);
        }

        @Override
        public void gather(Step.Gather step) {
            memory.expect(roles.ofElements(step.to()));
            super.gather(step);
        }

        @Override
        public void store(Step.Store step) {
            if (step.streamed()) {
                memory.align(pointer(step.to()), program.target().vectorBytes());
            }
            super.store(step);
        }

        @Override
        public void scalarLoad(Step.ScalarLoad step) {
            memory.expect(roles.of(step.to()));
            super.scalarLoad(step);
        }
    }

    /** Bytes that the program touches, first to last of each region. */
    public long bytes() {
        return memory.regions().stream().mapToLong(DrawnRegion::size).sum();
    }

    /**
     * Calls a kernel of the program.
     *
     * @throws AssertionError if it leaves something else behind than the interpreter
     */
    public void check(CompiledKernel kernel, Memory pointers, GuardedMemory guarded) {
        List<MemorySegment> segments = new ArrayList<>();
        long[] starts = new long[memory.regions().size()];
        for (int i = 0; i < starts.length; i++) {
            DrawnRegion region = memory.regions().get(i);
            MemorySegment segment = guarded.bytes(region.size());
            segment.copyFrom(MemorySegment.ofArray(region.before()));
            segments.add(segment);
            starts[i] = pointers.pointer(segment) - region.low();
        }
        for (int i = 0; i < starts.length; i++) {
            pointTo(memory.regions().get(i), segments.get(i), starts);
        }
        long[] extents = arguments.clone();
        for (int i = 0; i < program.parameters().size(); i++) {
            if (roles.of(program.parameters().get(i)) == Role.POINTER) {
                extents[i] = starts[DrawnMemory.region(arguments[i])];
            }
        }
        kernel.call(pointers, extents[0], extents[1], extents[2], extents[3], extents[4], extents[5]);
        for (int i = 0; i < starts.length; i++) {
            DrawnRegion region = memory.regions().get(i);
            MemorySegment expected = MemorySegment.ofArray(region.now());
            pointTo(region, expected, starts);
            compare(region, expected, segments.get(i), i);
        }
    }

    private static void pointTo(DrawnRegion region, MemorySegment contents, long[] starts) {
        region.pointers()
                .forEach((offset, pointer) -> contents.set(
                        ValueLayout.JAVA_LONG_UNALIGNED, offset - region.low(), starts[DrawnMemory.region(pointer)]));
    }

    private void compare(DrawnRegion region, MemorySegment expected, MemorySegment got, int number) {
        for (long i = expected.mismatch(got); i >= 0 && i < region.size(); i++) {
            byte wanted = expected.get(ValueLayout.JAVA_BYTE, i);
            byte found = got.get(ValueLayout.JAVA_BYTE, i);
            if (wanted != found && !region.accepts((int) i, found)) {
                throw new AssertionError("byte " + i + " of " + region.size() + " of region " + number + " is " + found
                        + ", not " + wanted + ", with arguments " + Arrays.toString(arguments) + " of " + program);
            }
        }
    }
}
