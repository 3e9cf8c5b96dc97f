package dev.millrace.kernels;

import dev.millrace.kernels.family.KernelKey;
import dev.millrace.kernels.family.KernelSet;
import dev.millrace.kernels.program.Kernel;
import dev.millrace.kernels.program.Lowering;
import dev.millrace.kernels.program.Memory;
import dev.millrace.kernels.program.Program;
import dev.millrace.kernels.program.Target;
import dev.millrace.kernels.program.plain.PlainLowering;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** Interprets, and remembers which kernels were asked for. */
public final class UsedKeys implements Lowering {
    private final Set<KernelKey> keys = new LinkedHashSet<>();
    private final PlainLowering plain;

    private UsedKeys(Target target) {
        plain = new PlainLowering(target);
    }

    /** The keys of the kernels that the drivers of all families use for some random shapes. */
    public static List<KernelKey> of(Target target, int shapes) {
        UsedKeys used = new UsedKeys(target);
        for (FamilyCase family : FamilyCases.ALL) {
            Random seeds = new Random(shapes);
            for (int i = 0; i < shapes; i++) {
                try (Arena arena = Arena.ofShared()) {
                    KernelSet kernels = new KernelSet(used, Families.ALL);
                    family.runOne(kernels, new GuardedMemory(arena), new Random(i), true);
                }
            }
        }
        return new ArrayList<>(used.keys);
    }

    @Override
    public Target target() {
        return plain.target();
    }

    @Override
    public List<Kernel> lower(List<Program> programs) {
        for (Program program : programs) {
            keys.add(KernelKey.parse(program.name()));
        }
        return plain.lower(programs);
    }

    @Override
    public Memory newMemory() {
        return plain.newMemory();
    }
}
