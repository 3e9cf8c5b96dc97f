package dev.millrace.graph.ir;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * The notes that a file holds for a value beside its type. They do not affect computation and are kept so that the
 * model can be written again.
 *
 * @param value the documentation and metadata of the value's declaration
 * @param denotations the denotations of the value's type
 * @param tensor the documentation and metadata of the value's initializer, or of the initializer of its default
 * @param quantisation the values that hold its quantisation parameters, by role
 */
public record ValueNotes(Remarks value, Denotations denotations, Remarks tensor, Map<String, Value> quantisation) {

    /** No notes. */
    public static final ValueNotes NONE = new ValueNotes(Remarks.NONE, Denotations.NONE, Remarks.NONE, Map.of());

    public ValueNotes {
        quantisation =
                quantisation.isEmpty() ? Map.of() : Collections.unmodifiableMap(new LinkedHashMap<>(quantisation));
    }

    public boolean isEmpty() {
        return !describesValue() && tensor.isEmpty() && quantisation.isEmpty();
    }

    /** Whether there are notes that belong to the declaration of the value. */
    public boolean describesValue() {
        return !value.isEmpty() || !denotations.isEmpty();
    }

    /** Returns these notes for a value that has become an initializer with {@code remarks}. */
    public ValueNotes withTensor(Remarks remarks) {
        return new ValueNotes(value, denotations, remarks, quantisation);
    }

    /** Returns these notes with the values of quantisation parameters replaced by the results of {@code others}. */
    public ValueNotes with(UnaryOperator<Value> others) {
        if (quantisation.isEmpty()) {
            return this;
        }
        var parameters = new LinkedHashMap<>(quantisation);
        parameters.replaceAll((_, parameter) -> others.apply(parameter));
        return new ValueNotes(value, denotations, tensor, parameters);
    }
}
