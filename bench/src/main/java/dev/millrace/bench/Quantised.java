package dev.millrace.bench;

import dev.millrace.graph.format.Models;
import dev.millrace.graph.ir.Node;
import java.nio.file.Path;
import java.util.Set;

/** Tells quantised models, whose numbers depend on what an optimiser makes of them. */
final class Quantised {
    private static final Set<String> OPERATORS =
            Set.of("DynamicQuantizeLinear", "QuantizeLinear", "DequantizeLinear", "MatMulInteger", "ConvInteger");

    private Quantised() {}

    static boolean isQuantised(Path model) {
        for (Node node : Models.read(model).graph().nodes()) {
            if (OPERATORS.contains(node.op().name())) {
                return true;
            }
        }
        return false;
    }
}
