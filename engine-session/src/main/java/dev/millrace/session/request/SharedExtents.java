package dev.millrace.session.request;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.infer.symbol.ExtentFormula;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Inputs;
import dev.millrace.session.ValueInfo;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The relations between the extents of a model's inputs, which requests are checked against: extents of one name are
 * equal, and an extent that is an expression of names has its value. The optimiser relies on them.
 */
final class SharedExtents {
    private final List<Equal> equal = new ArrayList<>();
    private final List<Computed> computed = new ArrayList<>();
    private final Map<String, Place> places = new LinkedHashMap<>();

    /** An axis of an input; {@code otherwise} is the default value of an input that is left out. */
    private record Place(String input, int axis, @Nullable Tensor otherwise) {
        /** Returns the extent, or -1 if the input is missing or has no such axis. */
        long extent(Inputs request) {
            Object value = request.input(input);
            Shape shape = (value == null ? otherwise : value) instanceof Tensor tensor ? tensor.shape() : null;
            return shape == null || shape.rank() <= axis ? -1 : shape.dim(axis);
        }

        String describe(Inputs request) {
            return "axis " + axis + " of input " + input + " is " + extent(request);
        }
    }

    private record Equal(String name, Place first, Place other) {}

    private record Computed(ExtentFormula formula, Place place) {}

    /** @param defaults the default value of each input, null for one that has to be given */
    SharedExtents(List<ValueInfo> inputs, List<@Nullable Tensor> defaults) {
        var formulas = new LinkedHashMap<Place, ExtentFormula>();
        for (int i = 0; i < inputs.size(); i++) {
            if (inputs.get(i).type() instanceof ValueType.TensorType tensor && tensor.shape() != null) {
                collect(inputs.get(i).name(), tensor.shape(), defaults.get(i), formulas);
            }
        }
        formulas.forEach((place, formula) -> {
            if (places.keySet().containsAll(formula.names())) {
                computed.add(new Computed(formula, place));
            }
        });
    }

    private void collect(
            String input, SymbolicShape shape, @Nullable Tensor otherwise, Map<Place, ExtentFormula> formulas) {
        for (int axis = 0; axis < shape.rank(); axis++) {
            if (!(shape.dim(axis) instanceof Dim.Symbol symbol)) {
                continue;
            }
            var place = new Place(input, axis, otherwise);
            ExtentFormula formula = ExtentFormula.of(symbol);
            Place first = places.putIfAbsent(formula.toString(), place);
            if (first != null) {
                equal.add(new Equal(symbol.name(), first, place));
            } else if (!formula.isName()) {
                formulas.put(place, formula);
            }
        }
    }

    void check(Inputs request) {
        for (int i = 0; i < equal.size(); i++) {
            Equal pair = equal.get(i);
            if (pair.first.extent(request) != pair.other.extent(request)) {
                throw EngineException.invalidArgument("Got different extents for '" + pair.name + "': "
                        + pair.first.describe(request) + ", and " + pair.other.describe(request));
            }
        }
        for (Computed each : computed) {
            long expected = expected(each, request);
            if (each.place.extent(request) != expected) {
                throw EngineException.invalidArgument("Got invalid dimensions for input: " + each.place.input + ". "
                        + each.place.describe(request) + ", expected " + expected + " as " + each.formula);
            }
        }
    }

    private long expected(Computed each, Inputs request) {
        try {
            return each.formula.value(name -> place(name).extent(request));
        } catch (ArithmeticException | EngineException e) {
            throw EngineException.invalidArgument("Got invalid dimensions for input: " + each.place.input + ". "
                    + each.formula + " cannot be computed from the extents of the other inputs: " + e.getMessage());
        }
    }

    private Place place(String name) {
        Place place = places.get(name);
        if (place == null) {
            throw new IllegalStateException("no input has an extent named " + name);
        }
        return place;
    }
}
