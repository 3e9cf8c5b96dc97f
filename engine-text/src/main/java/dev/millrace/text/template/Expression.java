package dev.millrace.text.template;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An expression. Operators and steps of one rank are one flat node, so that the tree is only as deep as the template is
 * nested.
 */
sealed interface Expression {
    /** The index in the template that error messages name. */
    int at();

    record Literal(int at, @Nullable Object value) implements Expression {}

    record Name(int at, String name) implements Expression {}

    record ListOf(int at, List<Expression> items) implements Expression {}

    record TupleOf(int at, List<Expression> items) implements Expression {}

    record DictOf(int at, List<Expression> keys, List<Expression> values) implements Expression {}

    record Not(int at, Expression operand) implements Expression {}

    /** A sign before an operand: minus, or plus. */
    record Signed(int at, boolean minus, Expression operand) implements Expression {}

    /** The first operand that decides, or the last: {@code or} if {@code any}, otherwise {@code and}. */
    record Logic(int at, boolean any, List<Expression> operands) implements Expression {}

    /** A chain of comparisons such as {@code a < b < c}, each between two neighbours. */
    record Comparison(int at, Expression first, List<Link> links) implements Expression {}

    /** Arithmetic from left to right. */
    record Arithmetic(int at, Expression first, List<Link> links) implements Expression {}

    /** An operator and its right operand. */
    record Link(int at, String operator, Expression operand) {}

    /** The texts of operands, joined by {@code ~}. */
    record Joined(int at, List<Expression> operands) implements Expression {}

    record Choice(
            int at,
            Expression condition,
            Expression then,
            @Nullable Expression otherwise) implements Expression {}

    /** A value and what is done with it, step by step. */
    record Path(int at, Expression first, List<Step> steps) implements Expression {}

    /** A step of a path, which makes a value of the value before it. */
    sealed interface Step {
        int at();
    }

    record Attribute(int at, String name) implements Step {}

    record Item(int at, Expression key) implements Step {}

    record Slice(
            int at,
            @Nullable Expression from,
            @Nullable Expression to,
            @Nullable Expression by) implements Step {}

    record Call(int at, Passed passed) implements Step {}

    record Filter(int at, Builtin filter, Passed passed) implements Step {}

    record Test(int at, Builtin test, Passed passed, boolean negated) implements Step {}

    /** The arguments of a call. */
    record Passed(List<Expression> positional, Map<String, Expression> named) {
        static final Passed NONE = new Passed(List.of(), Map.of());
    }
}
