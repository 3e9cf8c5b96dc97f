package dev.millrace.cli.fire;

import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Each operator that a backend test has, with inputs that mean harm: all providers together and {@code cpu} alone answer alike, or both refuse. */
@Tag("fuzz")
@Tag("shared")
@Tag("slow")
class ProviderFireIT {
    private static final int ATTEMPTS = 2_000;

    @Test
    void providersAnswerAlikeOrRefuseAlike() throws Exception {
        Map<String, List<StoredNode>> nodes = StoredNode.byOperator();
        List<String> operators = List.copyOf(nodes.keySet());
        try (var ways = TwoWays.ofProviders()) {
            Fire.attempts("providers of " + operators.size() + " operators", ATTEMPTS, ways, random -> {
                String operator = operators.get(random.nextInt(operators.size()));
                attack(ways, operator, nodes.getOrDefault(operator, List.of()), random);
            });
            ways.requireFewIllConditioned();
            ways.requireUnharmed(FireModels.perceptron());
        }
    }

    private static void attack(TwoWays ways, String operator, List<StoredNode> nodes, Random random) {
        HarmedCase.Made made = HarmedCase.of(nodes.get(random.nextInt(nodes.size())), random);
        ways.tryOut(operator + " (" + random + ")", made.model(), _ -> made.inputs());
    }
}
