package dev.millrace.kernels;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.codegen.code.GuardedMemory;
import dev.millrace.codegen.testing.TestScale;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each family computes what it should and stays inside of its memory, on random shapes at each level. How many shapes a
 * family gets in all is the property {@value #SHAPES_PROPERTY}.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("slow")
class EveryFamilyTest {
    static final String SHAPES_PROPERTY = "millrace.test.shapes";

    private static final int SHAPES = 400;
    private static final long SEED = 20;

    private final List<TestLevel> levels = TestLevel.all();

    @AfterAll
    void close() {
        levels.forEach(TestLevel::close);
    }

    private List<Arguments> familiesAndLevels() {
        List<Arguments> all = new ArrayList<>();
        for (FamilyCase family : FamilyCases.ALL) {
            for (TestLevel level : levels) {
                all.add(Arguments.of(family, level));
            }
        }
        return all;
    }

    @ParameterizedTest
    @MethodSource("familiesAndLevels")
    void randomShapesAreRightAndStayInside(FamilyCase family, TestLevel level) {
        int shares = levels.stream().mapToInt(TestLevel::share).sum();
        int count = Math.ceilDiv(TestScale.count(SHAPES_PROPERTY, SHAPES) * level.share(), shares);
        long start = System.nanoTime();
        Random seeds = new Random(SEED);
        for (long i = 0; i < count; i++) {
            Random random = new Random(seeds.nextLong());
            try (Arena arena = Arena.ofShared()) {
                family.runOne(level.kernels(), new GuardedMemory(arena), random, level.slow());
            } catch (RuntimeException | AssertionError failure) {
                throw new AssertionError("shape " + i + " of " + family.name() + " at " + level.name(), failure);
            }
        }
        long milliseconds = (System.nanoTime() - start) / 1_000_000;
        System.out.printf("%s: %d shapes at %s, %d ms%n", family.name(), count, level.name(), milliseconds);
        assertTrue(count > 0);
    }
}
