package dev.millrace.session;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.PlainText;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.util.Failures;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The outputs of a run, by name. Closing returns their memory to the session for later runs; otherwise the garbage
 * collector reclaims it in time. Closing twice does no harm.
 */
public final class Outputs implements AutoCloseable {
    private final List<String> names;
    private final Datum[] values;

    /**
     * Creates outputs, which close the values.
     *
     * @param names the names of the values, in their order
     */
    public Outputs(List<String> names, Datum[] values) {
        this.names = names;
        this.values = values;
    }

    /** Returns the named output as a tensor; throws if there is none of this name or it is no tensor. */
    public Tensor get(String name) {
        Datum value = datum(name);
        if (value instanceof Tensor tensor) {
            return tensor;
        }
        throw EngineException.invalidArgument(
                "output '" + name + "' is a " + value.getClass().getSimpleName() + "; use datum(name)");
    }

    /** Returns output {@code index} of the model as a tensor. */
    public Tensor get(int index) {
        if (index < 0 || index >= names.size()) {
            throw EngineException.invalidArgument("there is no output " + index + "; there are " + names);
        }
        return get(names.get(index));
    }

    public Datum datum(String name) {
        int index = names.indexOf(Failures.requireArgument(name, "name"));
        if (index < 0) {
            throw EngineException.invalidArgument("Invalid output name: " + name + "; there are " + names);
        }
        return values[index];
    }

    /** The names of the outputs in the model's order. */
    public List<String> names() {
        return names;
    }

    public Map<String, Datum> asMap() {
        var map = new LinkedHashMap<String, Datum>();
        for (int i = 0; i < values.length; i++) {
            map.put(names.get(i), values[i]);
        }
        return Collections.unmodifiableMap(map);
    }

    /** Returns only these outputs and closes the others. */
    public Outputs only(List<String> wanted) {
        var kept = new ArrayList<Datum>();
        wanted.forEach(name -> kept.add(datum(name)));
        for (Datum value : values) {
            if (!kept.contains(value)) {
                value.close();
            }
        }
        return new Outputs(List.copyOf(wanted), kept.toArray(new Datum[0]));
    }

    @Override
    public void close() {
        for (Datum value : values) {
            value.close();
        }
    }

    @Override
    public String toString() {
        return PlainText.line(asMap().toString());
    }
}
