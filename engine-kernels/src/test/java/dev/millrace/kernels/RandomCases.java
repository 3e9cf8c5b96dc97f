package dev.millrace.kernels;

import dev.millrace.kernels.code.Platform;
import java.lang.foreign.Arena;
import java.util.Random;

/** Runs a family on random shapes at one level. */
public final class RandomCases {
    private static final int SEED = 11;

    private RandomCases() {}

    public static void run(FamilyCase family, String level, int count) {
        Random random = new Random(SEED);
        try (Kernels kernels =
                Kernels.open(name -> name.equals(Platform.LEVEL_PROPERTY) ? level : System.getProperty(name))) {
            for (int i = 0; i < count; i++) {
                try (Arena arena = Arena.ofShared()) {
                    family.runOne(kernels.set(), new GuardedMemory(arena), random, level.equals("plain"));
                }
            }
        }
    }
}
