package dev.millrace.graph.op;

import dev.millrace.graph.ir.OpId;
import java.util.List;
import java.util.Map;

/// A part of a [Definition]: what an operator takes, a number, or an operator of ONNX over such parts.
public sealed interface Term {
    /// What the operator takes at a place among its inputs.
    record Input(int index) implements Term {}

    /// The number that an attribute of the operator's node has, or its default.
    record Setting(AttributeSpec attribute) implements Term {}

    record Number(double value) implements Term {}

    /// A text, which only attributes can be.
    record Word(String text) implements Term {}

    /// One of ONNX's own operators. Where one of its two operands is an input that a node leaves out, the other
    /// stands for it.
    ///
    /// @param attributes each a setting, a number or a word
    record Call(OpId op, List<Term> operands, Map<String, Term> attributes) implements Term {
        public Call {
            operands = List.copyOf(operands);
            attributes = Map.copyOf(attributes);
        }

        /// Whether one operator reads what another one gives.
        public boolean isNested() {
            return operands.stream().anyMatch(Call.class::isInstance);
        }
    }
}
