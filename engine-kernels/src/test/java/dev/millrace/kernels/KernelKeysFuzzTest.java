package dev.millrace.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.kernels.asm.FeatureSet;
import dev.millrace.kernels.family.KernelKey;
import dev.millrace.kernels.family.KernelSet;
import dev.millrace.kernels.program.DotOp;
import dev.millrace.kernels.program.Program;
import dev.millrace.kernels.program.Target;
import dev.millrace.kernels.program.plain.PlainLowering;
import dev.millrace.kernels.program.x86.X86Lowering;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** A key comes from a file, so it may be anything: it gives a kernel, or a refusal that says what is wrong. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class KernelKeysFuzzTest {
    /** How many keys are made up. */
    static final String KEYS_PROPERTY = "millrace.test.keys";

    private static final int KEYS = 20_000;
    private static final int SHAPES = 12;
    private static final Target AVX512 = Target.AVX512.with(EnumSet.allOf(DotOp.class));

    private final Map<Target, KernelSet> sets = new HashMap<>();
    private final List<KernelKey> ofAvx2 = UsedKeys.of(Target.AVX2, SHAPES);
    private final List<KernelKey> ofAvx512 = UsedKeys.of(AVX512, SHAPES);

    private Program describe(KernelKey key, Target target) {
        return sets.computeIfAbsent(target, t -> new KernelSet(new PlainLowering(t), Families.ALL))
                .describe(key);
    }

    /** Whether it could be lowered; that it needs too many registers is the only other outcome. */
    private static boolean lowers(Program program, Target target) {
        try {
            int bytes = X86Lowering.assemble(program, FeatureSet.all(), false).finish().length;
            assertTrue(bytes > 0);
            return true;
        } catch (IllegalArgumentException refusal) {
            String message = String.valueOf(refusal.getMessage());
            assertTrue(message.contains(program.name()) && message.contains("register"), message);
            return false;
        }
    }

    /** A refusal is of use to its reader if it names the key, or what in it is wrong. */
    private static void assertNames(IllegalArgumentException refusal, String text) {
        String message = String.valueOf(refusal.getMessage());
        boolean names = message.contains("parameter") || message.contains("kernel key") || message.contains(text);
        assertTrue(names, () -> text + ": " + refusal);
    }

    @Test
    void mutatedKeysGiveAKernelOrARefusalThatNamesTheParameter() {
        int count = Integer.getInteger(KEYS_PROPERTY, KEYS);
        for (Target target : List.of(Target.AVX2, AVX512)) {
            MutatedKeys keys = new MutatedKeys(new Random(4), target.lanes() == 16 ? ofAvx512 : ofAvx2);
            int described = 0;
            int lowered = 0;
            for (int i = 0; i < count / 2; i++) {
                String text = keys.next();
                try {
                    Program program = describe(KernelKey.parse(text), target);
                    described++;
                    lowered += lowers(program, target) ? 1 : 0;
                } catch (IllegalArgumentException refusal) {
                    assertNames(refusal, text);
                } catch (RuntimeException | StackOverflowError failure) {
                    throw new AssertionError(text, failure);
                }
            }
            System.out.printf(
                    "%d keys at %s: %d describe a kernel, %d fit the registers%n",
                    count / 2, target.name(), described, lowered);
            assertTrue(lowered > 0);
        }
    }

    @Test
    void keysOfDriversFitTheRegistersOfTheirMachine() {
        for (KernelKey key : ofAvx2) {
            assertTrue(lowers(describe(key, Target.AVX2), Target.AVX2), key.toString());
        }
        for (KernelKey key : ofAvx512) {
            assertTrue(lowers(describe(key, AVX512), AVX512), key.toString());
        }
    }

    /** A lower level may lack registers, or an instruction that the key asks for by name. */
    @Test
    void keysOfAHigherLevelAreUnderstoodByALowerOneOrRefusedByName() {
        int described = 0;
        for (KernelKey key : ofAvx512) {
            KernelKey read = KernelKey.parse(key.toString());
            assertEquals(key, read);
            try {
                lowers(describe(read, Target.AVX2), Target.AVX2);
                described++;
            } catch (IllegalArgumentException refusal) {
                assertNames(refusal, key.toString());
            }
        }
        assertTrue(described > ofAvx512.size() / 2, described + " of " + ofAvx512.size());
    }
}
