package dev.millrace.bench.agree;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.codegen.testing.TestScale;
import dev.millrace.graph.tensor.ElementType;
import java.nio.file.Path;
import java.util.ArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Chains of operators give ONNX Runtime's answers, as they are and optimised.
 *
 * <ul>
 *   <li>{@code -Dmillrace.differential.chains=5000}: so many chains
 *   <li>{@code -Dmillrace.differential.seed=8}: other ones
 * </ul>
 */
@Tag("fuzz")
@Tag("reference")
@Tag("slow")
class RandomChainsIT {
    private static final int CHAINS = TestScale.count("millrace.differential.chains", 150);
    private static final long SEED = Long.getLong("millrace.differential.seed", 1);
    private static final int LONGEST = 14;

    private final Departures departures = Departures.read("departures.txt");

    @TempDir
    private Path folder;

    @Test
    void chainsAgree() throws Exception {
        var found = new ArrayList<String>();
        int ran = 0;
        try (var trials = new Trials(folder)) {
            for (int i = 0; i < CHAINS; i++) {
                Chain chain = chain(i, ElementType.FLOAT);
                Trials.Outcome outcome = trials.run(question(chain), question(chain(i, ElementType.DOUBLE)));
                ran += outcome.ran() ? 1 : 0;
                String text = "chain " + i + " of seed " + SEED + ", " + chain + ": " + outcome.difference();
                if (outcome.difference() != null && !departures.explain(text)) {
                    found.add(text);
                }
            }
        }
        assertThat(found).isEmpty();
        assertThat(ran).as("chains of seed %d that ONNX Runtime runs", SEED).isGreaterThan(CHAINS * 9 / 10);
    }

    private static Chain chain(int number, ElementType real) {
        var chance = new Chance(SEED * 1_000_003 + number);
        return ChainSteps.chain(chance, chance.between(2, LONGEST), real);
    }

    private static Trials.Question question(Chain chain) {
        return new Trials.Question(chain.bytes(), chain.inputs());
    }
}
