package dev.millrace.cli.model;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.infer.ExtentFormula;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Inputs;
import dev.millrace.session.ValueInfo;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Makes inputs for a model: extents as asked, else as the known model likes them, else what others of their name are, else
 * 1 where they are free; numbers by a seed.
 */
public final class InputMaker {
    private final @Nullable KnownModel known;
    private final Map<String, long[]> shapes;
    private final long seed;

    public InputMaker(@Nullable KnownModel known, Map<String, long[]> shapes, long seed) {
        this.known = known;
        this.shapes = Map.copyOf(shapes);
        this.seed = seed;
    }

    /** All inputs that have no default. */
    public Inputs make(List<ValueInfo> declared) {
        for (String name : shapes.keySet()) {
            if (declared.stream().noneMatch(info -> info.name().equals(name))) {
                throw EngineException.invalidArgument(
                        "--shape names '" + name + "', but the model's inputs are " + declared);
            }
        }
        var inputs = Inputs.empty();
        Map<String, Long> named = named(declared);
        for (ValueInfo info : declared) {
            if (!info.optional()) {
                inputs.and(info.name(), make(info, named));
            }
        }
        return inputs;
    }

    /** The extents that have names, as far as shapes are wanted. */
    private Map<String, Long> named(List<ValueInfo> declared) {
        var named = new HashMap<String, Long>();
        for (ValueInfo info : declared) {
            long[] wanted = wanted(info);
            SymbolicShape shape = info.type() instanceof ValueType.TensorType type ? type.shape() : null;
            for (int i = 0; wanted != null && shape != null && i < Math.min(wanted.length, shape.rank()); i++) {
                if (shape.dim(i) instanceof Dim.Symbol symbol) {
                    named.putIfAbsent(ExtentFormula.of(symbol).toString(), wanted[i]);
                }
            }
        }
        return named;
    }

    private long @Nullable [] wanted(ValueInfo info) {
        long[] wanted = shapes.get(info.name());
        return wanted == null && known != null ? known.shapes().get(info.name()) : wanted;
    }

    private Tensor make(ValueInfo info, Map<String, Long> named) {
        if (!(info.type() instanceof ValueType.TensorType type) || type.element() == null) {
            throw EngineException.invalidArgument("input " + info + " is no tensor of a known type; give it as a file");
        }
        Shape shape = shape(info, type, named);
        try {
            Tensor tensor = Tensor.allocate(type.element(), shape);
            fill(info.name(), tensor);
            return tensor;
        } catch (EngineException e) {
            throw e.at("input '" + info.name() + "'");
        } catch (OutOfMemoryError e) {
            throw new EngineException(
                    Status.FAIL,
                    "no memory for input '" + info.name() + "' of shape " + shape
                            + "; a smaller --shape helps, or a larger -XX:MaxDirectMemorySize",
                    e);
        }
    }

    private Shape shape(ValueInfo info, ValueType.TensorType type, Map<String, Long> named) {
        SymbolicShape declared = type.shape();
        long[] wanted = wanted(info);
        if (wanted != null) {
            return Shape.of(wanted);
        }
        if (declared == null) {
            throw EngineException.invalidArgument(
                    "nothing is known of the shape of input '" + info.name() + "'; give it with --shape");
        }
        return Shape.of(
                declared.dims().stream().mapToLong(dim -> extent(dim, named)).toArray());
    }

    private static long extent(Dim dim, Map<String, Long> named) {
        return switch (dim) {
            case Dim.Known extent -> extent.extent();
            case Dim.Symbol symbol -> {
                ExtentFormula formula = ExtentFormula.of(symbol);
                Long given = named.get(formula.toString());
                yield given != null ? given : formula.value(name -> named.getOrDefault(name, 1L));
            }
            case Dim.Unknown _ -> 1;
        };
    }

    private void fill(String name, Tensor tensor) {
        var random = new SplittableRandom(seed * 31 + name.hashCode());
        ElementType type = tensor.type();
        KnownModel.Fill fill = known == null ? null : known.fills().get(name);
        if (type == ElementType.STRING) {
            java.util.Arrays.setAll(tensor.strings(), i -> "s" + random.nextInt(10));
            return;
        }
        for (long i = 0; i < tensor.elements(); i++) {
            if (fill != null) {
                Elements.setLong(type, tensor.segment(), i, random.nextLong(fill.from(), fill.below()));
            } else if (type.isFloating()) {
                Elements.setDouble(type, tensor.segment(), i, random.nextDouble() * 2 - 1);
            } else {
                Elements.setLong(type, tensor.segment(), i, random.nextInt(type == ElementType.BOOL ? 2 : 8));
            }
        }
    }
}
