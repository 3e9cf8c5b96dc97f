package dev.millrace.kernels;

import dev.millrace.codegen.code.GuardedMemory;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.key.KernelSet;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.plain.PlainLowering;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** The keys that drivers make. */
public final class UsedKeys {
    private UsedKeys() {}

    /** The interpreted kernels of all families for {@code target}. */
    public static KernelSet plain(Target target) {
        return new KernelSet(new PlainLowering(target), Families.ALL);
    }

    /** The keys of the kernels that the drivers of all families use for some random shapes. */
    public static List<KernelKey> of(Target target, int shapes) {
        RecordingLowering used = RecordingLowering.of(target);
        for (FamilyCase family : FamilyCases.ALL) {
            Random seeds = new Random(shapes);
            for (int i = 0; i < shapes; i++) {
                try (Arena arena = Arena.ofShared()) {
                    KernelSet kernels = new KernelSet(used, Families.ALL);
                    family.runOne(kernels, new GuardedMemory(arena), new Random(seeds.nextLong()), true);
                }
            }
        }
        return new ArrayList<>(used.keys());
    }
}
