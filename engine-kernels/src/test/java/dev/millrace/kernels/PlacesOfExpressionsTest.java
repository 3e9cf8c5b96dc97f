package dev.millrace.kernels;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.codegen.asm.FeatureSet;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.key.KernelSet;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.plain.PlainLowering;
import dev.millrace.codegen.program.x86.X86Lowering;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Wherever a kernel takes an expression, there are registers enough for any function. */
class PlacesOfExpressionsTest {
    private static final int SHAPES = 6;
    private static final Pattern EXPRESSION = Pattern.compile("(epilogue|after|expr|each)=(in\\d|\\()[^,]*");

    @ParameterizedTest
    @ValueSource(
            strings = {
                "(sin in0)",
                "(tan in0)",
                "(acosh in0)",
                "(erf in0)",
                "(atanh in0)",
                "(power in0 (log in0))",
                "(mul (exp in0) (tan in0))"
            })
    void haveRegistersForIt(String expression) {
        KernelSet kernels = new KernelSet(new PlainLowering(Target.AVX2), Families.ALL);
        Set<String> families = new LinkedHashSet<>();
        for (KernelKey key : UsedKeys.of(Target.AVX2, SHAPES)) {
            Matcher place = EXPRESSION.matcher(key.toString());
            if (place.find()) {
                KernelKey other = KernelKey.parse(
                        place.replaceFirst(Matcher.quoteReplacement(place.group(1) + "=" + expression)));
                Program program = kernels.describe(other);
                assertTrue(
                        X86Lowering.assemble(program, FeatureSet.all(), false).finish().length > 0);
                families.add(key.family());
            }
        }
        assertTrue(families.size() > 4, families.toString());
    }
}
