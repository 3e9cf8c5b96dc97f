package dev.millrace.kernels.fire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.codegen.asm.FeatureSet;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.key.KernelSet;
import dev.millrace.codegen.program.DotOp;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.x86.X86Lowering;
import dev.millrace.codegen.testing.TestScale;
import dev.millrace.kernels.TestLevel;
import dev.millrace.kernels.UsedKeys;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * A key comes from a file, so it may be anything: it gives a kernel that does what its program says and stays inside of
 * its memory, or a refusal that says what is wrong. How many keys are made up is the property {@value #KEYS_PROPERTY}.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("fuzz")
@Tag("slow")
class KernelKeysFuzzTest {
    static final String KEYS_PROPERTY = "millrace.test.keys";

    private static final int KEYS = 6_000;
    /** After so many keys, the code of their kernels is freed. */
    private static final int KEYS_AT_ONCE = 4_000;

    private static final int SHAPES = 12;
    private static final Target AVX512 = Target.AVX512.with(EnumSet.allOf(DotOp.class));

    private final List<KernelKey> ofAvx2 = UsedKeys.of(Target.AVX2, SHAPES);
    private final List<KernelKey> ofAvx512 = UsedKeys.of(AVX512, SHAPES);

    /** Which level runs the next key: by their shares. */
    private static TestLevel pick(List<TestLevel> levels, Random random) {
        int at = random.nextInt(levels.stream().mapToInt(TestLevel::share).sum());
        for (TestLevel level : levels) {
            at -= level.share();
            if (at < 0) {
                return level;
            }
        }
        throw new AssertionError(at);
    }

    @Test
    void mutatedKeysGiveAKernelThatStaysInsideOrARefusalThatNamesTheParameter() {
        int count = TestScale.count(KEYS_PROPERTY, KEYS);
        List<KernelKey> samples = new ArrayList<>(ofAvx2);
        samples.addAll(ofAvx512);
        Random random = new Random(4);
        MutatedKeys keys = new MutatedKeys(random, samples);
        KeyRuns runs = new KeyRuns(random);
        for (int i = 0; i < count; i += KEYS_AT_ONCE) {
            List<TestLevel> levels = TestLevel.all();
            for (int j = i; j < Math.min(count, i + KEYS_AT_ONCE); j++) {
                runs.run(keys.next(), pick(levels, random));
            }
            levels.forEach(TestLevel::close);
        }
        System.out.println(count + " mutated keys: " + runs);
        assertTrue(runs.run() >= count / 5 && runs.notRun() <= runs.run() / 20, runs.toString());
    }

    @Test
    void keysOfDriversFitTheRegistersOfTheirMachine() {
        assertFit(ofAvx2, Target.AVX2);
        assertFit(ofAvx512, AVX512);
    }

    private static void assertFit(List<KernelKey> keys, Target target) {
        KernelSet set = UsedKeys.plain(target);
        for (KernelKey key : keys) {
            Program program = set.describe(key);
            assertTrue(X86Lowering.assemble(program, FeatureSet.all(), false).finish().length > 0);
        }
    }

    /** A lower level may lack registers, or an instruction that the key asks for by name. */
    @Test
    void keysOfAHigherLevelRunAtALowerOneOrAreRefusedByName() {
        for (TestLevel level : TestLevel.all()) {
            KeyRuns runs = new KeyRuns(new Random(5));
            for (KernelKey key : ofAvx512) {
                assertEquals(key, KernelKey.parse(key.toString()));
                runs.run(key.toString(), level);
            }
            level.close();
            System.out.println(ofAvx512.size() + " keys of AVX-512 at " + level + ": " + runs);
            assertTrue(runs.run() > ofAvx512.size() / 2, level + ": " + runs);
        }
    }
}
