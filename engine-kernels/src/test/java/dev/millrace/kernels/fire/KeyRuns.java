package dev.millrace.kernels.fire;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.codegen.code.GuardedMemory;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.CompiledKernel;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.plain.Exploration;
import dev.millrace.kernels.TestLevel;
import java.lang.foreign.Arena;
import java.util.Random;
import java.util.TreeMap;

/** Runs kernels of keys that came from outside, and counts what became of them. */
final class KeyRuns {
    private final Random random;
    private final TreeMap<String, Integer> familiesNotRun = new TreeMap<>();
    private int refused;
    private int run;
    private int notRun;
    private long bytes;

    KeyRuns(Random random) {
        this.random = random;
    }

    /** Kernels that were run. */
    int run() {
        return run;
    }

    /** Kernels for which no arguments were found. */
    int notRun() {
        return notRun;
    }

    /**
     * Emits the kernel of a key and runs it on memory that has what its program touches and nothing else.
     *
     * @throws AssertionError if it does something else than its program, or is refused without a reason
     */
    void run(String text, TestLevel level) {
        try {
            KernelKey key = KernelKey.parse(text);
            Program program = level.kernels().describe(key);
            run(program, level.kernels().kernel(key), level);
        } catch (IllegalArgumentException refusal) {
            assertNames(refusal, text);
            refused++;
        } catch (RuntimeException | StackOverflowError | AssertionError failure) {
            throw new AssertionError(text + " at " + level, failure);
        }
    }

    private void run(Program program, CompiledKernel kernel, TestLevel level) {
        Exploration exploration = Exploration.of(program, random.nextLong());
        if (exploration == null) {
            notRun++;
            familiesNotRun.merge(KernelKey.parse(program.name()).family(), 1, Integer::sum);
            return;
        }
        try (Arena arena = Arena.ofShared()) {
            exploration.check(kernel, level.kernels().newMemory(), new GuardedMemory(arena));
        }
        run++;
        bytes += exploration.bytes();
    }

    /** A refusal is of use to its reader if it names the key, or what in it is wrong. */
    private static void assertNames(IllegalArgumentException refusal, String text) {
        String message = String.valueOf(refusal.getMessage());
        boolean names = message.contains("parameter")
                || message.contains("kernel key")
                || message.contains("register")
                || message.contains(text);
        assertTrue(names, () -> text + ": " + refusal);
    }

    @Override
    public String toString() {
        return run + " run on " + (run == 0 ? 0 : bytes / run) + " bytes on average, " + refused + " refused, " + notRun
                + " without arguments " + familiesNotRun;
    }
}
