package dev.millrace.providers.simd;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import java.util.function.Predicate;

/** Inputs whose contents have to be known before a node can be bound, such as the shape that a Reshape makes. */
final class Contents {
    private static final int[] NONE = {};

    private Contents() {}

    /** Whether all contents that binding a node asks for follow from shapes, or are there before the partition runs. */
    static boolean areKnown(Node node, Predicate<Node> claimed) {
        for (int input : wanted(node)) {
            Value value = node.input(input);
            if (value != null && !follows(value, claimed)) {
                return false;
            }
        }
        return true;
    }

    private static boolean follows(Value value, Predicate<Node> claimed) {
        Node producer = value.producer();
        if (value.isConstant() || producer == null || !claimed.test(producer)) {
            return true;
        }
        if (producer.op().isOnnx("Shape") || producer.op().isOnnx("Size")) {
            return true;
        }
        for (Value input : producer.inputs()) {
            if (input != null && !follows(input, claimed)) {
                return false;
            }
        }
        return true;
    }

    private static int[] wanted(Node node) {
        String name = node.op().name();
        return switch (name) {
            case "ConstantOfShape" -> new int[] {0};
            case "Range" -> new int[] {0, 1, 2};
            case "Reshape", "Expand", "Tile", "TopK", "Unsqueeze", "Squeeze", "OneHot", "Split", "CumSum", "Trilu" ->
                new int[] {1};
            case "Upsample" -> new int[] {1};
            case "Slice" -> new int[] {1, 2, 3, 4};
            case "Resize" -> node.opset() < 11 ? new int[] {1} : new int[] {1, 2, 3};
            case "Pad" -> new int[] {1, 3};
            default -> name.startsWith("Reduce") ? new int[] {1} : NONE;
        };
    }
}
