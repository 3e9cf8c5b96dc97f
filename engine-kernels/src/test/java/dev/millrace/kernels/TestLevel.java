package dev.millrace.kernels;

import dev.millrace.kernels.code.Level;
import dev.millrace.kernels.code.Platform;
import dev.millrace.kernels.family.KernelSet;
import dev.millrace.kernels.program.EmulatedLowering;
import java.util.ArrayList;
import java.util.List;

/**
 * One way to run kernels, for tests that go through all of them.
 *
 * @param slow whether kernels are interpreted in one way or another
 * @param share of the shapes that a family gets, relative to other levels
 * @param free frees the code
 */
record TestLevel(String name, KernelSet kernels, boolean slow, int share, Runnable free) {
    /** All levels that this machine has, those above it emulated. */
    static List<TestLevel> all() {
        List<TestLevel> levels = new ArrayList<>();
        for (Level level : Level.values()) {
            Kernels kernels = open(level);
            if (kernels.level() != level) {
                kernels.close();
            } else if (level.emitsMachineCode()) {
                levels.add(new TestLevel(level.toString(), kernels.set(), false, 50, kernels::close));
            } else if (level == Level.PLAIN) {
                levels.add(new TestLevel(level.toString(), kernels.set(), true, 6, kernels::close));
            }
        }
        KernelSet emulated = new KernelSet(new EmulatedLowering(), Kernels.FAMILIES);
        levels.add(new TestLevel("AVX512, emulated", emulated, true, 20, () -> {}));
        return levels;
    }

    /** Kernels at a level, or at the best one below it. */
    static Kernels open(Level level) {
        return Kernels.open(name -> name.equals(Platform.LEVEL_PROPERTY) ? level.toString() : System.getProperty(name));
    }

    void close() {
        free.run();
    }

    @Override
    public String toString() {
        return name;
    }
}
