package dev.millrace.providers.simd;

import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import java.util.Set;
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
        return isOfShapes(producer) || areAll(producer, value, input -> follows(input, claimed));
    }

    private static boolean isOfShapes(Node node) {
        return node.is(OpName.SHAPE) || node.is(OpName.SIZE);
    }

    /** Whether something is true of all that a value is made of by its producer. */
    private static boolean areAll(Node producer, Value value, Predicate<Value> test) {
        for (Graph branch : producer.attributes().graphs()) {
            if (!test.test(branch.outputs().get(value.outputIndex()))) {
                return false;
            }
        }
        for (Value input : producer.inputs()) {
            if (input != null && !test.test(input)) {
                return false;
            }
        }
        return true;
    }

    /** Whether the content of a value is the same in every run of a binding, because it follows from shapes. */
    static boolean isSettled(Value value) {
        Node producer = value.producer();
        return value.isConstant()
                || producer != null && (isOfShapes(producer) || areAll(producer, value, Contents::isSettled));
    }

    /**
     * Adds the nodes that make a value out of integers and truths that come from outside.
     *
     * @return false where it is made of anything else
     */
    static boolean addMakers(Value value, Predicate<Node> claimed, Set<Node> makers) {
        if (isSettled(value)) {
            return true;
        }
        ElementType type = value.elementType();
        if (type == null || type.isFloating()) {
            return false;
        }
        Node producer = value.producer();
        if (producer == null || !claimed.test(producer)) {
            return true;
        }
        makers.add(producer);
        return producer.attributes().graphs().isEmpty()
                && areAll(producer, value, input -> addMakers(input, claimed, makers));
    }

    private static int[] wanted(Node node) {
        String name = node.op().name();
        return switch (name) {
            case OpName.CONSTANT_OF_SHAPE -> new int[] {0};
            case OpName.RANGE -> new int[] {0, 1, 2};
            case OpName.RESHAPE,
                    OpName.EXPAND,
                    OpName.TILE,
                    OpName.TOP_K,
                    OpName.UNSQUEEZE,
                    OpName.SQUEEZE,
                    OpName.ONE_HOT,
                    OpName.SPLIT -> new int[] {1};
            case OpName.CUM_SUM, OpName.CUM_PROD, OpName.TRILU, OpName.UPSAMPLE -> new int[] {1};
            case OpName.GROUP_QUERY_ATTENTION -> new int[] {6};
            case OpName.APPEND_STEPS -> new int[] {2};
            case OpName.SLICE -> new int[] {1, 2, 3, 4};
            case OpName.RESIZE -> node.opset() < 11 ? new int[] {1} : new int[] {1, 2, 3};
            case OpName.PAD -> new int[] {1, 3};
            default -> name.startsWith("Reduce") ? new int[] {1} : NONE;
        };
    }
}
