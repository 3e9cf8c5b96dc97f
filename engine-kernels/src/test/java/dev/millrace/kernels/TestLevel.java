package dev.millrace.kernels;

import dev.millrace.codegen.code.KernelLevel;
import dev.millrace.codegen.code.Platform;
import dev.millrace.codegen.key.KernelSet;
import dev.millrace.codegen.program.EmulatedLowering;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One way to run kernels, for tests that go through all of them.
 *
 * @param slow whether kernels are interpreted in one way or another
 * @param share of the shapes that a family gets, relative to other levels
 * @param free frees the code
 */
public record TestLevel(String name, KernelSet kernels, boolean slow, int share, Runnable free) {
    /** All levels that this machine has, those above it emulated. */
    public static List<TestLevel> all() {
        List<TestLevel> levels = new ArrayList<>();
        for (KernelLevel level : List.of(KernelLevel.AVX512, KernelLevel.AVX2)) {
            add(levels, level, 50, null);
        }
        for (String bits : List.of("512", "256", "128")) {
            add(levels, KernelLevel.VECTOR_API, 8, bits);
        }
        add(levels, KernelLevel.PLAIN, 6, null);
        KernelSet emulated = new KernelSet(new EmulatedLowering(), Families.ALL);
        levels.add(new TestLevel("AVX512, emulated", emulated, true, 20, () -> {}));
        return levels;
    }

    private static void add(List<TestLevel> levels, KernelLevel level, int share, @Nullable String bits) {
        Kernels kernels = open(level, bits);
        if (kernels.level() == level) {
            String name = bits == null ? level.toString() : level + " " + bits;
            levels.add(new TestLevel(name, kernels.set(), !level.emitsMachineCode(), share, kernels::close));
        } else {
            kernels.close();
        }
    }

    /** Kernels at a level, or at the best one below it. */
    private static Kernels open(KernelLevel level, @Nullable String bits) {
        return Kernels.open(name -> switch (name) {
            case Platform.LEVEL_PROPERTY -> level.toString();
            case Kernels.VECTOR_BITS_PROPERTY -> bits;
            default -> System.getProperty(name);
        });
    }

    public void close() {
        free.run();
    }

    @Override
    public String toString() {
        return name;
    }
}
