package dev.millrace.bench.agree;

import dev.millrace.graph.EngineException;
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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A way of making up inputs for a model.
 *
 * @param extents how symbolic extents are chosen
 * @param content the elements of inputs without a role
 */
record InputDraw(DrawnExtents.Style extents, Content content) {
    /** The ranges of elements, from the most telling one to the one that a model most likely accepts. */
    enum Content {
        WIDE(-8, 8),
        BITS(0, 1),
        ONES(1, 1),
        ZEROS(0, 0);

        private final int least;
        private final int most;

        Content(int least, int most) {
            this.least = least;
            this.most = most;
        }
    }

    /** The ways to make inputs up, the most telling first. */
    static final List<InputDraw> WAYS = List.of(
            new InputDraw(DrawnExtents.Style.MIXED, Content.WIDE),
            new InputDraw(DrawnExtents.Style.EQUAL, Content.WIDE),
            new InputDraw(DrawnExtents.Style.MIXED, Content.BITS),
            new InputDraw(DrawnExtents.Style.ONE, Content.WIDE),
            new InputDraw(DrawnExtents.Style.ONE, Content.ONES),
            new InputDraw(DrawnExtents.Style.EQUAL, Content.ONES),
            new InputDraw(DrawnExtents.Style.SIXTEEN, Content.WIDE),
            new InputDraw(DrawnExtents.Style.SIXTY_FOUR, Content.WIDE),
            new InputDraw(DrawnExtents.Style.IMAGE, Content.WIDE),
            new InputDraw(DrawnExtents.Style.EQUAL, Content.ZEROS));

    /** The limit of an input's elements. */
    private static final double MOST_ELEMENTS = 1L << 26;

    /** Returns inputs number {@code number}, always the same for the same seed. */
    Inputs make(List<ValueInfo> declared, Roles roles, int number, long seed) {
        var free = new DrawnExtents(extents, number);
        var inputs = Inputs.empty();
        for (ValueInfo info : declared) {
            if (!info.optional()) {
                var random = new SplittableRandom(seed + 31L * info.name().hashCode() + 1_000_003L * number);
                Role role = roles.of(info.name(), free);
                inputs.and(info.name(), new Filler(random, role, free).datum(info.type()));
            }
        }
        return inputs;
    }

    /** Fills one input with elements. */
    private final class Filler {
        private final SplittableRandom random;
        private final @Nullable Role role;
        private final DrawnExtents free;

        Filler(SplittableRandom random, @Nullable Role role, DrawnExtents free) {
            this.random = random;
            this.role = role;
            this.free = free;
        }

        Datum datum(@Nullable ValueType type) {
            return switch (type) {
                case null -> throw EngineException.notImplemented("nothing is known of an input");
                case ValueType.TensorType tensor -> tensor(tensor);
                case ValueType.SequenceType sequence ->
                    new TensorSequence(List.of(datum(sequence.element()), datum(sequence.element())));
                case ValueType.OptionalType optional -> new OptionalDatum(datum(optional.element()));
                case ValueType.MapType map -> map(map);
                case ValueType.SparseType _ -> throw EngineException.notImplemented("no sparse inputs are made up");
            };
        }

        private MapDatum map(ValueType.MapType map) {
            var entries = new LinkedHashMap<Object, Datum>();
            for (long key = 0; key < 3; key++) {
                ElementType element = map.value() instanceof ValueType.TensorType type ? type.element() : null;
                Tensor value = Tensor.allocate(element == null ? ElementType.FLOAT : element, Shape.SCALAR);
                fill(value);
                entries.put(map.key() == ElementType.STRING ? word(key) : (Object) key, value);
            }
            return new MapDatum(map.key(), entries);
        }

        private Tensor tensor(ValueType.TensorType type) {
            if (type.element() == null) {
                throw EngineException.notImplemented("nothing is known of an input's elements");
            }
            long[] dims = free.input(type.shape());
            double elements = 1;
            for (long dim : dims) {
                elements *= dim;
            }
            if (elements > MOST_ELEMENTS) {
                throw EngineException.notImplemented("no input of shape " + Arrays.toString(dims) + " is made up");
            }
            Tensor tensor = Tensor.allocate(type.element(), Shape.of(dims));
            fill(tensor);
            return tensor;
        }

        private void fill(Tensor tensor) {
            ElementType type = tensor.type();
            if (type == ElementType.STRING) {
                Arrays.setAll(tensor.strings(), _ -> word(random.nextInt(6)));
                return;
            }
            boolean complex = type.kind() == ElementType.Kind.COMPLEX;
            for (long i = 0; i < tensor.elements() * (complex ? 2 : 1); i++) {
                if (type.isFloating() || complex) {
                    double value = role == null ? real() : role.element(i, random);
                    boolean positive = type == ElementType.FLOAT8E8M0;
                    Elements.setDouble(type, tensor.segment(), i, positive ? Math.max(0.25, Math.abs(value)) : value);
                } else {
                    double value = role == null ? whole(type) : role.element(i, random);
                    Elements.setLong(type, tensor.segment(), i, (long) value);
                }
            }
        }

        private double real() {
            return content == Content.WIDE ? random.nextDouble(-2, 2) : whole(ElementType.INT64);
        }

        private long whole(ElementType type) {
            if (type == ElementType.BOOL) {
                return random.nextLong(Math.max(0, content.least), Math.min(1, content.most) + 1L);
            }
            boolean signed = type.kind() == ElementType.Kind.SIGNED;
            int narrow = type.bits() < 8 ? 1 : content.most;
            long least = signed ? Math.max(content.least, -narrow) : Math.max(0, content.least);
            return random.nextLong(least, Math.max(least, Math.min(content.most, narrow)) + 1L);
        }
    }

    private static String word(long number) {
        return switch ((int) number) {
            case 0 -> "a";
            case 1 -> "b";
            case 2 -> "cat";
            case 3 -> "12";
            case 4 -> "Straße";
            default -> "word " + number;
        };
    }
}
