package dev.millrace.providers.cpu.experts;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Node;
import java.util.function.DoubleUnaryOperator;

/**
 * The activation between the layers of an expert: a function, or a gate that multiplies the values of another layer.
 *
 * @param function the activation function, applied to the gate where there is one
 * @param fusion how gates and values are stored in one row: not at all, interleaved, or one after the other
 * @param limit the limit to which gates and values are clamped
 * @param shift the number added to the values
 */
record ExpertActivation(DoubleUnaryOperator function, Fusion fusion, double limit, double shift) {
    /** The storage of gates and values in a row. */
    enum Fusion {
        NONE,
        IN_TURN,
        BEHIND
    }

    private static final double ROOT = Math.sqrt(2 / Math.PI);

    static ExpertActivation of(Node node) {
        Attributes attributes = node.attributes();
        String name = attributes.text("activation_type", "relu");
        if (!name.equals("swiglu")) {
            return new ExpertActivation(function(node, name), Fusion.NONE, Double.POSITIVE_INFINITY, 0);
        }
        double slope = attributes.real("activation_alpha", 1);
        long fusion = attributes.integer("swiglu_fusion", 0);
        if (fusion < 0 || fusion >= Fusion.values().length) {
            throw EngineException.invalidGraph(node.describe() + ": swiglu_fusion is " + fusion + " where 0 to "
                    + (Fusion.values().length - 1) + " is expected");
        }
        return new ExpertActivation(
                x -> x / (1 + Math.exp(-slope * x)),
                Fusion.values()[(int) fusion],
                attributes.real("swiglu_limit", Float.POSITIVE_INFINITY),
                attributes.real("activation_beta", 0));
    }

    private static DoubleUnaryOperator function(Node node, String name) {
        return switch (name) {
            case "relu" -> x -> Math.max(0, x);
            case "gelu" -> x -> 0.5 * x * (1 + Math.tanh(ROOT * (x + 0.044715 * x * x * x)));
            case "silu" -> x -> x / (1 + Math.exp(-x));
            case "identity" -> x -> x;
            default -> throw EngineException.notImplemented(node.describe() + ": activation_type '" + name + "'");
        };
    }

    double alone(double x) {
        return function.applyAsDouble(x);
    }

    double gated(double gate, double number) {
        return function.applyAsDouble(Math.min(gate, limit)) * (Math.clamp(number, -limit, limit) + shift);
    }
}
