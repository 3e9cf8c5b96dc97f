package dev.millrace.bench.agree;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.ElementType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * How far numbers may be from each other, by type: floating ones relative to the largest of their output, whole ones in
 * steps. What is not named has to be equal.
 */
final class Tolerances {
    /** The name of what models with quantised arithmetic inside are allowed. */
    static final String QUANTISED = "quantised";

    private static final List<String> DEFAULTS = List.of(
            "float=1e-4",
            "double=1e-6",
            "complex64=1e-4",
            "complex128=1e-6",
            "float16=0.01",
            "bfloat16=0.05",
            "float8e4m3fn=0.15",
            "float8e4m3fnuz=0.15",
            "float8e5m2=0.25",
            "float8e5m2fnuz=0.25",
            "float4e2m1=0.5",
            "int8=1",
            "uint8=1",
            QUANTISED + "=0.02");

    private final Map<String, Double> byName = new LinkedHashMap<>();

    private Tolerances() {}

    /** The defaults, and what is said otherwise as {@code type=number}. */
    static Tolerances of(List<String> said) {
        var tolerances = new Tolerances();
        DEFAULTS.forEach(tolerances::put);
        said.forEach(tolerances::put);
        return tolerances;
    }

    private void put(String said) {
        int equals = said.indexOf('=');
        if (equals < 1) {
            throw EngineException.invalidArgument("'" + said + "' is no tolerance; write a type's, like float=1e-3");
        }
        String name = said.substring(0, equals);
        if (!name.equals(QUANTISED)) {
            ElementType.ofName(name);
        }
        double value;
        try {
            value = Double.parseDouble(said.substring(equals + 1));
        } catch (NumberFormatException e) {
            throw EngineException.invalidArgument("'" + said + "' has a tolerance that is no number");
        }
        if (!(value >= 0)) {
            throw EngineException.invalidArgument("'" + said + "' has a tolerance that is below 0");
        }
        byName.put(name, value);
    }

    double of(ElementType type) {
        return byName.getOrDefault(type.onnxName(), 0.0);
    }

    double quantised() {
        return byName.getOrDefault(QUANTISED, 0.0);
    }

    /** All of them, as they are said. */
    List<String> said() {
        var said = new ArrayList<String>();
        byName.forEach((name, value) -> said.add(name + "=" + value));
        return said;
    }

    @Override
    public String toString() {
        return byName.entrySet().stream()
                .filter(entry -> entry.getValue() > 0)
                .map(entry -> entry.getKey() + " "
                        + (entry.getValue() >= 1
                                ? "%.0f".formatted(entry.getValue())
                                : "%.0e".formatted(entry.getValue())))
                .collect(Collectors.joining(", "));
    }
}
