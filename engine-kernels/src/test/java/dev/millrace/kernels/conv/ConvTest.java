package dev.millrace.kernels.conv;

import dev.millrace.kernels.FamilyCase;
import dev.millrace.kernels.GuardedMemory;
import dev.millrace.kernels.Kernels;
import dev.millrace.kernels.code.Platform;
import java.lang.foreign.Arena;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ConvTest {
    private static void randomCases(FamilyCase family, String level, int count) {
        Random random = new Random(11);
        try (Kernels kernels =
                Kernels.open(name -> name.equals(Platform.LEVEL_PROPERTY) ? level : System.getProperty(name))) {
            for (int i = 0; i < count; i++) {
                try (Arena arena = Arena.ofShared()) {
                    family.runOne(kernels.set(), new GuardedMemory(arena), random, level.equals("plain"));
                }
            }
        }
    }

    @Test
    void randomConvolutionsAreRightAndStayInside() {
        randomCases(new ConvCase(), "avx512", 400);
    }

    @Test
    void randomConvolutionsAreRightAndStayInsideWhenInterpreted() {
        randomCases(new ConvCase(), "plain", 60);
    }

    @Test
    void randomImagesAreReorderedRightAndStayInside() {
        randomCases(new ReorderCase(), "avx512", 400);
    }

    @Test
    void randomImagesAreReorderedRightAndStayInsideWhenInterpreted() {
        randomCases(new ReorderCase(), "plain", 60);
    }
}
