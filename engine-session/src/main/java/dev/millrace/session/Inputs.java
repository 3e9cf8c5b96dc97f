package dev.millrace.session;

import dev.millrace.graph.PlainText;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.run.PlanRunner;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a run is given, by input name. The data stay the caller's: they are read while the run lasts and never changed or
 * closed. A session takes a copy of the names and their data when it accepts a request, so inputs may be filled anew for the next
 * one. Not for several threads while it is being filled.
 */
public final class Inputs implements PlanRunner.InputSource {
    private final Map<String, Datum> byName = new LinkedHashMap<>();

    private Inputs() {}

    /** No inputs yet. */
    public static Inputs empty() {
        return new Inputs();
    }

    public static Inputs of(String name, Datum value) {
        return new Inputs().and(name, value);
    }

    /** One-dimensional floats, copied. */
    public static Inputs of(String name, float... values) {
        return of(name, Tensor.copyOf(Failures.given(values, "values"), values.length));
    }

    /** One-dimensional 64-bit integers, copied. */
    public static Inputs of(String name, long... values) {
        return of(name, Tensor.copyOf(Failures.given(values, "values"), values.length));
    }

    public static Inputs of(Map<String, ? extends Datum> values) {
        var inputs = new Inputs();
        Failures.given(values, "values").forEach(inputs::and);
        return inputs;
    }

    /** Adds an input, in place, and returns this. */
    public Inputs and(String name, Datum value) {
        byName.put(name, value);
        return this;
    }

    /** Adds one-dimensional floats, copied. */
    public Inputs and(String name, float... values) {
        return and(name, Tensor.copyOf(values, values.length));
    }

    /** Adds one-dimensional 64-bit integers, copied. */
    public Inputs and(String name, long... values) {
        return and(name, Tensor.copyOf(values, values.length));
    }

    /** What is there now: what is added later does not show in it. */
    Inputs snapshot() {
        var copy = new Inputs();
        copy.byName.putAll(byName);
        return copy;
    }

    public Map<String, Datum> asMap() {
        return Collections.unmodifiableMap(byName);
    }

    @Override
    public @Nullable Datum input(String name) {
        return byName.get(name);
    }

    @Override
    public String toString() {
        return PlainText.line(byName.toString());
    }
}
