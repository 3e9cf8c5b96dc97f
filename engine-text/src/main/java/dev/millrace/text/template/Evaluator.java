package dev.millrace.text.template;

import dev.millrace.text.template.TemplateExpression.Link;
import dev.millrace.text.template.TemplateExpression.Passed;
import dev.millrace.text.template.TemplateExpression.Step;
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
    Object value(TemplateExpression expression, VariableScope scope) {
        try {
            steps.enter();
            return evaluated(expression, scope);
        } catch (Failure e) {
            throw source.error(expression.at(), e.what());
        } finally {
            steps.leave();
        }
    }

    boolean isTrue(TemplateExpression expression, VariableScope scope) {
        return Values.isTrue(value(expression, scope));
    }

    private @Nullable Object evaluated(TemplateExpression expression, VariableScope scope) {
        return switch (expression) {
            case TemplateExpression.Literal literal -> literal.value();
            case TemplateExpression.Name name -> scope.get(name.name());
            case TemplateExpression.ListOf list -> values(list.items(), scope);
            case TemplateExpression.TupleOf tuple -> new Tuple(List.of(), values(tuple.items(), scope));
            case TemplateExpression.DictOf dict -> dict(dict, scope);
            case TemplateExpression.Not not -> !isTrue(not.operand(), scope);
            case TemplateExpression.Signed signed -> Operators.signed(signed.minus(), value(signed.operand(), scope));
            case TemplateExpression.Logic logic -> logic(logic, scope);
            case TemplateExpression.Comparison comparison -> comparison(comparison, scope);
            case TemplateExpression.Arithmetic arithmetic -> arithmetic(arithmetic, scope);
            case TemplateExpression.Joined joined -> joined(joined, scope);
            case TemplateExpression.Choice choice -> choice(choice, scope);
            case TemplateExpression.Path path -> path(path, scope);
        };
    }

    private List<@Nullable Object> values(List<TemplateExpression> expressions, VariableScope scope) {
        var all = new ArrayList<@Nullable Object>(expressions.size());
        for (TemplateExpression each : expressions) {
            all.add(value(each, scope));
        }
        return all;
    }

    private Object dict(TemplateExpression.DictOf dict, VariableScope scope) {
        var made = new LinkedHashMap<@Nullable Object, @Nullable Object>();
        for (int i = 0; i < dict.keys().size(); i++) {
            Object key = Values.key(value(dict.keys().get(i), scope));
            made.put(key, value(dict.values().get(i), scope));
        }
        return made;
    }

    private @Nullable Object logic(TemplateExpression.Logic logic, VariableScope scope) {
        Object last = null;
        for (TemplateExpression operand : logic.operands()) {
            last = value(operand, scope);
            if (Values.isTrue(last) == logic.any()) {
                return last;
            }
        }
        return last;
    }

    private Object comparison(TemplateExpression.Comparison comparison, VariableScope scope) {
        Object left = value(comparison.first(), scope);
        for (Link link : comparison.links()) {
            Object right = value(link.operand(), scope);
            if (!ValueComparisons.holds(link.operator(), left, right, steps)) {
                return false;
            }
            left = right;
        }
        return true;
    }

    private @Nullable Object arithmetic(TemplateExpression.Arithmetic arithmetic, VariableScope scope) {
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

    private Object joined(TemplateExpression.Joined joined, VariableScope scope) {
        var text = new StringBuilder();
        for (TemplateExpression operand : joined.operands()) {
            String part = Texts.text(value(operand, scope), steps);
            steps.requireLength((long) text.length() + part.length());
            steps.chars(part.length());
            text.append(part);
        }
        return text.toString();
    }

    private @Nullable Object choice(TemplateExpression.Choice choice, VariableScope scope) {
        if (isTrue(choice.condition(), scope)) {
            return value(choice.then(), scope);
        }
        return choice.otherwise() == null
                ? new Undefined("the condition does not hold, and there is no 'else'")
                : value(choice.otherwise(), scope);
    }

    private @Nullable Object path(TemplateExpression.Path path, VariableScope scope) {
        return after(value(path.first(), scope), path.steps(), scope);
    }

    /** Applies steps to a value, one after the other. */
    @Nullable
    Object after(@Nullable Object first, List<Step> all, VariableScope scope) {
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

    private @Nullable Object after(@Nullable Object value, Step step, VariableScope scope) {
        return switch (step) {
            case TemplateExpression.Attribute attribute -> Access.attribute(value, attribute.name());
            case TemplateExpression.Item item -> Access.item(value, value(item.key(), scope));
            case TemplateExpression.Slice slice ->
                Sequences.slice(
                        value,
                        index(slice.from(), scope),
                        index(slice.to(), scope),
                        step(index(slice.by(), scope)),
                        steps);
            case TemplateExpression.Call call -> call(value, arguments(call.passed(), scope));
            case TemplateExpression.Filter filter ->
                filter.filter().apply(value, arguments(filter.passed(), scope), steps);
            case TemplateExpression.Test test ->
                Values.isTrue(test.test().apply(value, arguments(test.passed(), scope), steps)) != test.negated();
        };
    }

    private static long step(@Nullable Long by) {
        return by == null ? 1 : by;
    }

    private @Nullable Long index(@Nullable TemplateExpression expression, VariableScope scope) {
        Object value = expression == null ? null : value(expression, scope);
        if (value == null) {
            return null;
        }
        if (TemplateNumbers.exact(value) instanceof Long index) {
            return index;
        }
        throw new Failure(Values.kind(value) + " is no index of a slice");
    }

    @Nullable
    Object call(@Nullable Object callee, Arguments arguments) {
        return switch (callee) {
            case TemplateFunction function -> function.call(arguments, steps);
            case Undefined undefined -> throw undefined.failure();
            case null, default -> throw new Failure(Values.kind(callee) + " cannot be called");
        };
    }

    Arguments arguments(Passed passed, VariableScope scope) {
        if (passed == Passed.NONE) {
            return Arguments.NONE;
        }
        var named = new LinkedHashMap<String, @Nullable Object>();
        List<@Nullable Object> positional = values(passed.positional(), scope);
        for (Map.Entry<String, TemplateExpression> each : passed.named().entrySet()) {
            named.put(each.getKey(), value(each.getValue(), scope));
        }
        return new Arguments(positional, named);
    }
}
