package dev.millrace.cli.fire;

import dev.millrace.graph.op.OperatorSchema;
import dev.millrace.graph.op.Schemas;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Every operator that has a schema, with attributes at their ends, indices out of range and tensors of nothing. */
@Tag("fuzz")
@Tag("slow")
class OperatorFireIT {
    private static final int ATTEMPTS = 2_500;

    private static final List<OperatorSchema> OPERATORS = Schemas.all().stream()
            .filter(schema -> !schema.op().domain().startsWith("dev.millrace"))
            .filter(schema -> schema == Schemas.find(schema.op(), newest(schema)))
            .toList();

    private static int newest(OperatorSchema schema) {
        return schema.op().domain().isEmpty() ? 23 : 5;
    }

    @Test
    void operatorsAnswerOrRefuse() throws Exception {
        try (var ways = new TwoWays()) {
            Fire.attempts("operators", ATTEMPTS, ways, random -> attack(ways, random));
            ways.requireFewIllConditioned();
            ways.requireUnharmed(FireModels.perceptron());
        }
    }

    private static void attack(TwoWays ways, Random random) {
        OperatorSchema schema = OPERATORS.get(random.nextInt(OPERATORS.size()));
        var test = new OperatorCase(schema, random);
        byte[] model = test.model(newest(schema));
        if (model != null) {
            ways.tryOut(schema.op() + " (" + random + ")", model, test::inputs);
        }
    }
}
