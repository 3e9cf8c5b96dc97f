package dev.millrace.text.template;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An expression. Operators and steps of one rank are one flat node, so that the tree is only as deep as the template is
 * nested.
 */
sealed interface TemplateExpression {
    /** The index in the template that error messages name. */
    int at();

    record Literal(int at, @Nullable Object value) implements TemplateExpression {}

    record Name(int at, String name) implements TemplateExpression {}

    record ListOf(int at, List<TemplateExpression> items) implements TemplateExpression {}

    record TupleOf(int at, List<TemplateExpression> items) implements TemplateExpression {}

    record DictOf(int at, List<TemplateExpression> keys, List<TemplateExpression> values)
            implements TemplateExpression {}

    record Not(int at, TemplateExpression operand) implements TemplateExpression {}

    /** A sign before an operand: minus, or plus. */
    record Signed(int at, boolean minus, TemplateExpression operand) implements TemplateExpression {}

    /** The first operand that decides, or the last: {@code or} if {@code any}, otherwise {@code and}. */
    record Logic(int at, boolean any, List<TemplateExpression> operands) implements TemplateExpression {}

    /** A chain of comparisons such as {@code a < b < c}, each between two neighbours. */
    record Comparison(int at, TemplateExpression first, List<Link> links) implements TemplateExpression {}

    /** Arithmetic from left to right. */
    record Arithmetic(int at, TemplateExpression first, List<Link> links) implements TemplateExpression {}

    /** An operator and its right operand. */
    record Link(int at, String operator, TemplateExpression operand) {}

    /** The texts of operands, joined by {@code ~}. */
    record Joined(int at, List<TemplateExpression> operands) implements TemplateExpression {}

    record Choice(
            int at,
            TemplateExpression condition,
            TemplateExpression then,
            @Nullable TemplateExpression otherwise) implements TemplateExpression {}

    /** A value and what is done with it, step by step. */
    record Path(int at, TemplateExpression first, List<Step> steps) implements TemplateExpression {}

    /** A step of a path, which makes a value of the value before it. */
    sealed interface Step {
        int at();
    }

    record Attribute(int at, String name) implements Step {}

    record Item(int at, TemplateExpression key) implements Step {}

    record Slice(
            int at,
            @Nullable TemplateExpression from,
            @Nullable TemplateExpression to,
            @Nullable TemplateExpression by) implements Step {}

    record Call(int at, Passed passed) implements Step {}

    record Filter(int at, Builtin filter, Passed passed) implements Step {}

    record Test(int at, Builtin test, Passed passed, boolean negated) implements Step {}

    /** The arguments of a call. */
    record Passed(List<TemplateExpression> positional, Map<String, TemplateExpression> named) {
        static final Passed NONE = new Passed(List.of(), Map.of());
    }
}
