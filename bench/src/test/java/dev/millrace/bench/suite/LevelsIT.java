package dev.millrace.bench.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.bench.compare.FreshProcess;
import dev.millrace.codegen.code.KernelLevel;
import dev.millrace.codegen.code.Platform;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Real models give the plain provider's answers at every level that the machine has, and strictly, too. */
@Timeout(900)
@Tag("slow")
class LevelsIT {
    /** {@code true} runs all models at all levels, large ones as well, which takes many minutes. */
    private static final String LARGE_PROPERTY = "millrace.levels.large";

    private static final double BILLIONTH = 1e-9;

    @ParameterizedTest
    @EnumSource(KernelLevel.class)
    void modelsAnswerAsThePlainProviderDoes(KernelLevel level) throws Exception {
        boolean large = Boolean.getBoolean(LARGE_PROPERTY);
        List<LevelCase> cases = LevelCase.of(level, large);
        List<Long> said = new FreshProcess(LevelWorker.class, large)
                .withOptions(
                        List.of("-D" + Platform.LEVEL_PROPERTY + "=" + level, "--add-modules", "jdk.incubator.vector"))
                .say()
                .numbers();
        assumeTrue(said.getFirst() == level.ordinal(), "this machine has no level " + level);
        var wrong = new ArrayList<String>();
        for (int i = 0; i < cases.size(); i++) {
            LevelCase one = cases.get(i);
            long fast = said.get(1 + 2 * i);
            long strict = said.get(2 + 2 * i);
            System.out.printf(
                    "%s at %s: off by %.1e, strictly by %.1e%n",
                    one.name(), level, fast * BILLIONTH, strict * BILLIONTH);
            if (fast != LevelWorker.ABSENT && !(isRight(one, fast) && isRight(one, strict))) {
                wrong.add(one.name() + ": " + fast * BILLIONTH + ", strictly " + strict * BILLIONTH);
            }
        }
        assertThat(wrong).isEmpty();
    }

    private static boolean isRight(LevelCase one, long billionths) {
        return billionths >= 0 && billionths * BILLIONTH <= one.most();
    }
}
