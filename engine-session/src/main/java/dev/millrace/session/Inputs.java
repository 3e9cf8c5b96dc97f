package dev.millrace.session;

import dev.millrace.graph.PlainText;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.run.InputSource;
import dev.millrace.session.util.Failures;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The inputs of a run, by name. The data stay the caller's: they are read during the run and never changed or closed. A
 * session copies the names and the references to the data when it accepts a request, so an instance may be refilled for
 * the next one. Not safe for use by several threads while it is being filled.
 */
public final class Inputs implements InputSource {
    private final Map<String, Datum> byName = new LinkedHashMap<>();
    /** The names of the donated inputs; null for none. */
    private @Nullable Set<String> donated;

    private Inputs() {}

    /** Returns an instance without inputs. */
    public static Inputs empty() {
        return new Inputs();
    }

    public static Inputs of(String name, Datum value) {
        return new Inputs().and(name, value);
    }

    /** Returns an input of one-dimensional floats, copied. */
    public static Inputs of(String name, float... values) {
        return of(name, Tensor.copyOf(Failures.requireArgument(values, "values"), values.length));
    }

    /** Returns an input of one-dimensional 64-bit integers, copied. */
    public static Inputs of(String name, long... values) {
        return of(name, Tensor.copyOf(Failures.requireArgument(values, "values"), values.length));
    }

    public static Inputs of(Map<String, ? extends Datum> values) {
        var inputs = new Inputs();
        Failures.requireArgument(values, "values").forEach(inputs::and);
        return inputs;
    }

    /** Adds an input, in place, and returns this. */
    public Inputs and(String name, Datum value) {
        byName.put(name, value);
        if (donated != null) {
            donated.remove(name);
        }
        return this;
    }

    /**
     * Adds an input whose memory the run may reuse: where an operator can compute its output in place, as
     * GroupQueryAttention can append to a cache of keys or values, the output is this tensor itself, without a copy. After
     * such a run the tensor holds the output. After a run that failed its content is unspecified behind what the
     * operator keeps. No other run may use the tensor meanwhile.
     */
    public Inputs donate(String name, Tensor value) {
        byName.put(name, value);
        if (donated == null) {
            donated = new HashSet<>();
        }
        donated.add(name);
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

    /** Returns a copy of the present inputs, which later additions do not change. */
    public Inputs snapshot() {
        var copy = new Inputs();
        copy.byName.putAll(byName);
        copy.donated = donated == null ? null : new HashSet<>(donated);
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
    public @Nullable Tensor donated(String name) {
        return donated != null && donated.contains(name) && byName.get(name) instanceof Tensor tensor ? tensor : null;
    }

    @Override
    public String toString() {
        return PlainText.line(byName.toString());
    }
}
