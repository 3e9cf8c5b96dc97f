package dev.millrace.cli.fire;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.MapDatum;
import dev.millrace.graph.tensor.OptionalDatum;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.graph.tensor.TensorSequence;
import dev.millrace.session.Inputs;
import dev.millrace.session.ValueInfo;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Inputs that fit what a model declares, of whatever type that is; extents that are free are small. */
public final class MadeInputs {
    /** More is not made: what is declared may be nonsense. */
    private static final long MOST_ELEMENTS = 1 << 20;

    private final Random random;
    private final Map<String, Long> named = new HashMap<>();

    private MadeInputs(Random random) {
        this.random = random;
    }

    public static Inputs of(List<ValueInfo> declared, Random random) {
        var maker = new MadeInputs(random);
        var inputs = Inputs.empty();
        for (ValueInfo info : declared) {
            if (!info.optional()) {
                inputs.and(info.name(), maker.datum(info.type()));
            }
        }
        return inputs;
    }

    private Datum datum(@Nullable ValueType type) {
        return switch (type) {
            case null -> tensor(ElementType.FLOAT, Shape.of(2, 3));
            case ValueType.TensorType tensor ->
                tensor(Objects.requireNonNullElse(tensor.element(), ElementType.FLOAT), shape(tensor));
            case ValueType.SequenceType sequence ->
                new TensorSequence(List.of(datum(sequence.element()), datum(sequence.element())));
            case ValueType.OptionalType optional -> new OptionalDatum(datum(optional.element()));
            case ValueType.MapType map ->
                new MapDatum(map.key(), Map.of(map.key() == ElementType.STRING ? "one" : 1L, datum(map.value())));
            case ValueType.SparseType _ -> throw EngineException.notImplemented("no sparse inputs are made here");
        };
    }

    private Shape shape(ValueType.TensorType type) {
        if (type.shape() == null) {
            return Shape.of(2, 3);
        }
        long[] extents = type.shape().dims().stream()
                .mapToLong(dim -> switch (dim) {
                    case Dim.Known known -> known.extent();
                    case Dim.Symbol symbol -> named.computeIfAbsent(symbol.name(), _ -> 1L + random.nextInt(4));
                    case Dim.Unknown _ -> 1L + random.nextInt(3);
                })
                .toArray();
        double elements = 1;
        for (long extent : extents) {
            elements *= Math.max(1, extent);
        }
        if (elements > MOST_ELEMENTS) {
            throw EngineException.invalidArgument("no input of " + elements + " elements is made here");
        }
        return Shape.of(extents);
    }

    private Tensor tensor(ElementType type, Shape shape) {
        Tensor tensor = Tensor.allocate(type, shape);
        if (type == ElementType.STRING) {
            Arrays.setAll(tensor.strings(), i -> "s" + random.nextInt(20));
            return tensor;
        }
        boolean real = type.kind() == ElementType.Kind.FLOATING || type.kind() == ElementType.Kind.COMPLEX;
        long parts = tensor.elements() * (type.kind() == ElementType.Kind.COMPLEX ? 2 : 1);
        for (long i = 0; i < parts; i++) {
            if (real) {
                Elements.setDouble(type, tensor.segment(), i, random.nextDouble() * 2 - 1);
            } else {
                Elements.setLong(type, tensor.segment(), i, random.nextInt(type == ElementType.BOOL ? 2 : 3));
            }
        }
        return tensor;
    }
}
