package dev.millrace.graph.optimise.passes;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.optimise.pass.PassContext;
import dev.millrace.graph.optimise.pass.Patch;
import dev.millrace.graph.tensor.ElementType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Removes the first of two Casts in a row where it is lossless. */
final class MergeCasts {
    private MergeCasts() {}

    static @Nullable Patch at(Node node, PassContext context) {
        Node first = GraphPatterns.producer(node.input(0), node.graph(), OpName.CAST);
        if (first == null || first.opset() < 6 || node.opset() < 6) {
            return null;
        }
        Value input = first.requireInput(0);
        ElementType from = input.elementType();
        ElementType between = ElementType.ofCode((int) first.attributes().integer("to", 0));
        ElementType to = ElementType.ofCode((int) node.attributes().integer("to", 0));
        if (from == null || between == null || to == null || to == ElementType.STRING || !isExact(from, between)) {
            return null;
        }
        return context.patch(node, "Cast " + from + " to " + between + " loses nothing")
                .replace(node.requireOutput(0), NodeSpec.like(node, List.of(input)))
                .build();
    }

    /** Whether {@code to} can represent every value of {@code from}. */
    static boolean isExact(ElementType from, ElementType to) {
        if (from == to) {
            return true;
        }
        int digits = digits(to);
        return switch (from.kind()) {
            case BOOLEAN -> digits > 0;
            case UNSIGNED -> digits >= digits(from);
            case SIGNED -> digits >= digits(from) && to.kind() != ElementType.Kind.UNSIGNED;
            case FLOATING -> isWider(from, to);
            case COMPLEX, TEXT -> false;
        };
    }

    /** Returns the largest n such that {@code type} represents every integer of n binary digits, without the sign. */
    private static int digits(ElementType type) {
        return switch (type) {
            case FLOAT -> 24;
            case DOUBLE -> 53;
            case FLOAT16 -> 11;
            case BFLOAT16 -> 8;
            default ->
                switch (type.kind()) {
                    case UNSIGNED -> type.bits();
                    case SIGNED -> type.bits() - 1;
                    default -> 0;
                };
        };
    }

    private static boolean isWider(ElementType from, ElementType to) {
        return switch (from) {
            case FLOAT -> to == ElementType.DOUBLE;
            case FLOAT16, BFLOAT16 -> to == ElementType.FLOAT || to == ElementType.DOUBLE;
            default -> false;
        };
    }
}
