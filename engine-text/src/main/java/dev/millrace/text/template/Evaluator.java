package dev.millrace.text.template;

import dev.millrace.text.template.Expression.Link;
import dev.millrace.text.template.Expression.Passed;
import dev.millrace.text.template.Expression.Step;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Evaluates expressions. */
final class Evaluator {
    private final Source source;
    private final Steps steps;

    Evaluator(Source source, Steps steps) {
        this.source = source;
        this.steps = steps;
    }

    @Nullable
    Object value(Expression expression, Scope scope) {
        try {
            steps.enter();
            return evaluated(expression, scope);
        } catch (Failure e) {
            throw source.error(expression.at(), e.what());
        } finally {
            steps.leave();
        }
    }

    boolean isTrue(Expression expression, Scope scope) {
        return Values.isTrue(value(expression, scope));
    }

    private @Nullable Object evaluated(Expression expression, Scope scope) {
        return switch (expression) {
            case Expression.Literal literal -> literal.value();
            case Expression.Name name -> scope.get(name.name());
            case Expression.ListOf list -> values(list.items(), scope);
            case Expression.TupleOf tuple -> new Tuple(List.of(), values(tuple.items(), scope));
            case Expression.DictOf dict -> dict(dict, scope);
            case Expression.Not not -> !isTrue(not.operand(), scope);
            case Expression.Signed signed -> Operators.signed(signed.minus(), value(signed.operand(), scope));
            case Expression.Logic logic -> logic(logic, scope);
            case Expression.Comparison comparison -> comparison(comparison, scope);
            case Expression.Arithmetic arithmetic -> arithmetic(arithmetic, scope);
            case Expression.Joined joined -> joined(joined, scope);
            case Expression.Choice choice -> choice(choice, scope);
            case Expression.Path path -> path(path, scope);
        };
    }

    private List<@Nullable Object> values(List<Expression> expressions, Scope scope) {
        var all = new ArrayList<@Nullable Object>(expressions.size());
        for (Expression each : expressions) {
            all.add(value(each, scope));
        }
        return all;
    }

    private Object dict(Expression.DictOf dict, Scope scope) {
        var made = new LinkedHashMap<@Nullable Object, @Nullable Object>();
        for (int i = 0; i < dict.keys().size(); i++) {
            Object key = Values.key(value(dict.keys().get(i), scope));
            made.put(key, value(dict.values().get(i), scope));
        }
        return made;
    }

    private @Nullable Object logic(Expression.Logic logic, Scope scope) {
        Object last = null;
        for (Expression operand : logic.operands()) {
            last = value(operand, scope);
            if (Values.isTrue(last) == logic.any()) {
                return last;
            }
        }
        return last;
    }

    private Object comparison(Expression.Comparison comparison, Scope scope) {
        Object left = value(comparison.first(), scope);
        for (Link link : comparison.links()) {
            Object right = value(link.operand(), scope);
            if (!Comparisons.holds(link.operator(), left, right, steps)) {
                return false;
            }
            left = right;
        }
        return true;
    }

    private @Nullable Object arithmetic(Expression.Arithmetic arithmetic, Scope scope) {
        Object left = value(arithmetic.first(), scope);
        for (Link link : arithmetic.links()) {
            Object right = value(link.operand(), scope);
            try {
                left = Operators.apply(link.operator(), left, right, steps);
            } catch (Failure e) {
                throw source.error(link.at(), e.what());
            }
        }
        return left;
    }

    private Object joined(Expression.Joined joined, Scope scope) {
        var text = new StringBuilder();
        for (Expression operand : joined.operands()) {
            String part = Texts.text(value(operand, scope), steps);
            steps.requireLength((long) text.length() + part.length());
            steps.chars(part.length());
            text.append(part);
        }
        return text.toString();
    }

    private @Nullable Object choice(Expression.Choice choice, Scope scope) {
        if (isTrue(choice.condition(), scope)) {
            return value(choice.then(), scope);
        }
        return choice.otherwise() == null
                ? new Undefined("the condition does not hold, and there is no 'else'")
                : value(choice.otherwise(), scope);
    }

    private @Nullable Object path(Expression.Path path, Scope scope) {
        return after(value(path.first(), scope), path.steps(), scope);
    }

    /** Applies steps to a value, one after the other. */
    @Nullable
    Object after(@Nullable Object first, List<Step> all, Scope scope) {
        Object value = first;
        for (Step step : all) {
            try {
                steps.spend(1);
                value = after(value, step, scope);
            } catch (Failure e) {
                throw source.error(step.at(), e.what());
            }
        }
        return value;
    }

    private @Nullable Object after(@Nullable Object value, Step step, Scope scope) {
        return switch (step) {
            case Expression.Attribute attribute -> Access.attribute(value, attribute.name());
            case Expression.Item item -> Access.item(value, value(item.key(), scope));
            case Expression.Slice slice ->
                Sequences.slice(
                        value,
                        index(slice.from(), scope),
                        index(slice.to(), scope),
                        step(index(slice.by(), scope)),
                        steps);
            case Expression.Call call -> call(value, arguments(call.passed(), scope));
            case Expression.Filter filter -> filter.filter().apply(value, arguments(filter.passed(), scope), steps);
            case Expression.Test test ->
                Values.isTrue(test.test().apply(value, arguments(test.passed(), scope), steps)) != test.negated();
        };
    }

    private static long step(@Nullable Long by) {
        return by == null ? 1 : by;
    }

    private @Nullable Long index(@Nullable Expression expression, Scope scope) {
        Object value = expression == null ? null : value(expression, scope);
        if (value == null) {
            return null;
        }
        if (Numbers.exact(value) instanceof Long index) {
            return index;
        }
        throw new Failure(Values.kind(value) + " is no index of a slice");
    }

    @Nullable
    Object call(@Nullable Object callee, Arguments arguments) {
        return switch (callee) {
            case Function function -> function.call(arguments, steps);
            case Undefined undefined -> throw undefined.failure();
            case null, default -> throw new Failure(Values.kind(callee) + " cannot be called");
        };
    }

    Arguments arguments(Passed passed, Scope scope) {
        if (passed == Passed.NONE) {
            return Arguments.NONE;
        }
        var named = new LinkedHashMap<String, @Nullable Object>();
        List<@Nullable Object> positional = values(passed.positional(), scope);
        for (Map.Entry<String, Expression> each : passed.named().entrySet()) {
            named.put(each.getKey(), value(each.getValue(), scope));
        }
        return new Arguments(positional, named);
    }
}
