package dev.millrace.graph.op;

import dev.millrace.graph.ir.OpId;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** One version of an operator: its inputs, outputs, type constraints and attributes. */
public record OperatorSchema(
        OpId op,
        int since,
        boolean deprecated,
        List<Parameter> inputs,
        List<Parameter> outputs,
        List<TypeConstraint> constraints,
        List<AttributeSpec> attributes) {

    public OperatorSchema {
        inputs = List.copyOf(inputs);
        outputs = List.copyOf(outputs);
        constraints = List.copyOf(constraints);
        attributes = List.copyOf(attributes);
    }

    public @Nullable AttributeSpec attribute(String name) {
        for (AttributeSpec attribute : attributes) {
            if (attribute.name().equals(name)) {
                return attribute;
            }
        }
        return null;
    }

    /** Returns the types that {@code variable} may stand for, or null where a parameter's type is no variable. */
    public @Nullable TypeConstraint constraint(String variable) {
        for (TypeConstraint constraint : constraints) {
            if (constraint.variable().equals(variable)) {
                return constraint;
            }
        }
        return null;
    }

    /** Returns the numbers of the formal inputs whose type is {@code variable}. */
    public List<Integer> inputsOf(String variable) {
        return of(inputs, variable);
    }

    /** Returns the numbers of the formal outputs whose type is {@code variable}. */
    public List<Integer> outputsOf(String variable) {
        return of(outputs, variable);
    }

    private static List<Integer> of(List<Parameter> parameters, String variable) {
        return IntStream.range(0, parameters.size())
                .filter(i -> parameters.get(i).type().equals(variable))
                .boxed()
                .toList();
    }

    /** Returns the parameter of value {@code index}, or null where there are fewer. */
    public static @Nullable Parameter parameter(List<Parameter> parameters, int index) {
        if (index < parameters.size()) {
            return parameters.get(index);
        }
        return !parameters.isEmpty() && parameters.getLast().isVariadic() ? parameters.getLast() : null;
    }

    /** Returns the least number of values for {@code parameters}. */
    public static int least(List<Parameter> parameters) {
        int least = 0;
        for (int i = 0; i < parameters.size(); i++) {
            Parameter parameter = parameters.get(i);
            switch (parameter.arity()) {
                case SINGLE -> least = i + 1;
                case VARIADIC -> least = parameter.least() == 0 ? least : i + parameter.least();
                case OPTIONAL -> {}
            }
        }
        return least;
    }

    /**
     * Returns the greatest number of values for {@code parameters}, {@link Integer#MAX_VALUE} where there is no limit.
     */
    public static int most(List<Parameter> parameters) {
        return !parameters.isEmpty() && parameters.getLast().isVariadic() ? Integer.MAX_VALUE : parameters.size();
    }
}
