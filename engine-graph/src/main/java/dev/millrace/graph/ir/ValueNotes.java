package dev.millrace.graph.ir;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * What a file says of a value beside its type. Nothing is computed by it; it is there to be written again.
 *
 * @param value what stands beside the value's type
 * @param denotations what the value's type stands for
 * @param tensor what stands in the initializer that the value is, or that its default is
 * @param quantisation the values that hold the parameters of its quantisation, by the role that each has
 */
public record ValueNotes(Remarks value, Denotations denotations, Remarks tensor, Map<String, Value> quantisation) {

    /** Nothing is said. */
    public static final ValueNotes NONE = new ValueNotes(Remarks.NONE, Denotations.NONE, Remarks.NONE, Map.of());

    public ValueNotes {
        quantisation =
                quantisation.isEmpty() ? Map.of() : Collections.unmodifiableMap(new LinkedHashMap<>(quantisation));
    }

    public boolean isEmpty() {
        return !describesValue() && tensor.isEmpty() && quantisation.isEmpty();
    }

    /** Whether something is said where the value is declared. */
    public boolean describesValue() {
        return !value.isEmpty() || !denotations.isEmpty();
    }

    /** The same of a value that has become an initializer with these remarks. */
    public ValueNotes withTensor(Remarks remarks) {
        return new ValueNotes(value, denotations, remarks, quantisation);
    }

    /** The same where other values stand for those that it names. */
    public ValueNotes with(UnaryOperator<Value> others) {
        if (quantisation.isEmpty()) {
            return this;
        }
        var parameters = new LinkedHashMap<>(quantisation);
        parameters.replaceAll((_, parameter) -> others.apply(parameter));
        return new ValueNotes(value, denotations, tensor, parameters);
    }
}
