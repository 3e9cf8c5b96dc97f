package dev.millrace.bench.agree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.millrace.codegen.testing.TestScale;
import dev.millrace.graph.ir.OpId;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * Single operators give ONNX Runtime's answers, whatever their shapes, types, attributes and opset are.
 *
 * <ul>
 *   <li>{@code -Dmillrace.differential.draws=200}: as many cases of each operator that both sides run
 *   <li>{@code -Dmillrace.differential.seed=8}: other cases
 *   <li>{@code -Dmillrace.differential.only=Conv}: one operator alone
 * </ul>
 */
@Tag("fuzz")
@Tag("reference")
@Tag("slow")
class RandomOperatorsIT {
    private static final int DRAWS = TestScale.count("millrace.differential.draws", 4);
    private static final long SEED = Long.getLong("millrace.differential.seed", 1);
    private static final String ONLY = System.getProperty("millrace.differential.only", "");

    /** So many cases are drawn for each that is wanted, as ONNX Runtime lacks many types. */
    private static final int TRIES = 8;

    private static final int MOST_SHOWN = 8;

    private final Departures departures = Departures.read("departures.txt");

    @TempDir
    private Path folder;

    @Test
    void thereAreMakersForMostOperators() {
        assertThat(NodeMaker.all()).hasSizeGreaterThan(150);
    }

    @TestFactory
    Stream<DynamicTest> operatorsAgree() {
        Map<OpId, NodeMaker> makers = NodeMaker.all();
        return makers.entrySet().stream()
                .filter(maker -> ONLY.isEmpty() || ONLY.equals(maker.getKey().name()))
                .map(maker -> DynamicTest.dynamicTest(
                        maker.getKey().toString(), () -> agrees(maker.getKey(), maker.getValue())));
    }

    private void agrees(OpId op, NodeMaker maker) throws Exception {
        var found = new ArrayList<String>();
        int ran = 0;
        boolean elsewhere = false;
        try (var trials = new Trials(folder)) {
            for (int i = 0; i < DRAWS * TRIES && ran < DRAWS; i++) {
                Trials.Outcome outcome = one(trials, op, maker, i, found);
                ran += outcome.ran() ? 1 : 0;
                elsewhere |= outcome.isOfOtherProcessors();
            }
        }
        if (!found.isEmpty()) {
            List<String> shown = found.subList(0, Math.min(MOST_SHOWN, found.size()));
            throw new AssertionError(found.size() + " of " + ran + " cases of " + op + " differ by seed " + SEED + ":\n"
                    + String.join("\n", shown));
        }
        assumeFalse(ran == 0 && elsewhere, "ONNX Runtime has " + op + " on other processors only");
        assertThat(ran)
                .as("cases of %s by seed %d that ONNX Runtime runs", op, SEED)
                .isPositive();
    }

    private Trials.Outcome one(Trials trials, OpId op, NodeMaker maker, int number, List<String> found)
            throws IOException {
        var chance = new Chance(SEED * 1_000_003 + op.hashCode() * 31L + number);
        var node = new OneNode(op, chance);
        maker.make(node, chance);
        Trials.Outcome outcome = trials.run(node.bytes(), node.inputs());
        if (outcome.difference() != null) {
            String text = "number " + number + ", " + node + ": " + outcome.difference();
            if (!departures.explain(text)) {
                found.add(text);
            }
        }
        return outcome;
    }
}
