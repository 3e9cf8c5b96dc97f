package dev.millrace.cli.model;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.infer.symbol.ExtentFormula;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Inputs;
import dev.millrace.session.ValueInfo;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Makes inputs for a model. Extents are as asked, else what others of their name are, else as the model is known to like
 * them, by its name or by its signature, else what {@link Conventions} say. Numbers come by a seed.
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
        return make(declared, Inputs.empty());
    }

    /** All inputs that are not {@code given} and have no default, in shapes that go with those that are. */
    public Inputs make(List<ValueInfo> declared, Inputs request) {
        for (String name : shapes.keySet()) {
            if (declared.stream().noneMatch(info -> info.name().equals(name))) {
                throw EngineException.invalidArgument(
                        "--shape names '" + name + "', but the model's inputs are " + declared);
            }
        }
        var making = new Making(known == null ? ModelCatalog.findBySignature(declared) : known);
        making.name(
                declared, info -> request.input(info.name()) instanceof Tensor tensor ? extents(tensor.shape()) : null);
        making.name(declared, info -> shapes.get(info.name()));
        making.name(declared, making::liked);
        var inputs = Inputs.empty();
        for (ValueInfo info : declared) {
            if (!info.optional() && request.input(info.name()) == null) {
                inputs.and(info.name(), making.make(info));
            }
        }
        return inputs;
    }

    private static long[] extents(Shape shape) {
        long[] extents = new long[shape.rank()];
        Arrays.setAll(extents, shape::dim);
        return extents;
    }

    /** The inputs of one model in the making. */
    private final class Making {
        private final @Nullable KnownModel like;
        private final Map<String, Long> named = new HashMap<>();

        Making(@Nullable KnownModel like) {
            this.like = like;
        }

        long @Nullable [] liked(ValueInfo info) {
            return like == null ? null : like.shapes().get(info.name());
        }

        /** Takes down the extents that have names, where they have none yet. */
        void name(List<ValueInfo> declared, Function<ValueInfo, long @Nullable []> wanted) {
            for (ValueInfo info : declared) {
                long[] extents = wanted.apply(info);
                SymbolicShape shape = info.type() instanceof ValueType.TensorType type ? type.shape() : null;
                for (int i = 0; extents != null && shape != null && i < Math.min(extents.length, shape.rank()); i++) {
                    if (shape.dim(i) instanceof Dim.Symbol symbol) {
                        named.putIfAbsent(ExtentFormula.of(symbol).toString(), extents[i]);
                    }
                }
            }
        }

        Tensor make(ValueInfo info) {
            if (!(info.type() instanceof ValueType.TensorType type) || type.element() == null) {
                throw EngineException.invalidArgument(
                        "input " + info + " is no tensor of a known type; give it as a file");
            }
            Shape shape = shape(info, type);
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

        private Shape shape(ValueInfo info, ValueType.TensorType type) {
            SymbolicShape declared = type.shape();
            long[] asked = shapes.get(info.name());
            if (asked != null) {
                return Shape.of(asked);
            }
            long[] liked = liked(info);
            if (liked != null && (declared == null || liked.length != declared.rank())) {
                return Shape.of(liked);
            }
            if (declared == null) {
                throw EngineException.invalidArgument(
                        "nothing is known of the shape of input '" + info.name() + "'; give it with --shape");
            }
            long[] extents = new long[declared.rank()];
            Arrays.setAll(extents, axis -> extent(declared, axis, liked));
            return Shape.of(extents);
        }

        private long extent(SymbolicShape declared, int axis, long @Nullable [] liked) {
            Dim dim = declared.dim(axis);
            if (dim instanceof Dim.Symbol symbol) {
                Long fixed = named.get(ExtentFormula.of(symbol).toString());
                if (fixed != null) {
                    return fixed;
                }
            }
            if (liked != null) {
                return liked[axis];
            }
            return switch (dim) {
                case Dim.Known extent -> extent.extent();
                case Dim.Symbol _, Dim.Unknown _
                when Conventions.isImageSide(declared, axis) -> Conventions.imageSide();
                case Dim.Symbol symbol -> ExtentFormula.of(symbol).value(this::extent);
                case Dim.Unknown _ -> 1;
            };
        }

        private long extent(String name) {
            Long fixed = named.get(name);
            return fixed == null ? Conventions.extent(name) : fixed;
        }

        private void fill(String name, Tensor tensor) {
            var random = new SplittableRandom(seed * 31 + name.hashCode());
            ElementType type = tensor.type();
            if (type == ElementType.STRING) {
                Arrays.setAll(tensor.strings(), i -> "s" + random.nextInt(10));
                return;
            }
            KnownModel.Fill fill = like == null ? null : like.fills().get(name);
            if (fill == null && !type.isFloating()) {
                fill = Conventions.fill(name);
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
}
