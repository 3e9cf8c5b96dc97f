package dev.millrace.providers.testkit.plan;

import dev.millrace.graph.infer.Facts;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.DynamicKernel;
import dev.millrace.scheduler.kernel.Kernel;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.kernel.ShapedKernel;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Kernels of the host for graphs of tests: each has a trait that plans have to respect. */
final class SmallKernels {
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

    private SmallKernels() {}

    static Kernel of(Node node) {
        return switch (node.op().name()) {
            case "Add" -> new Elementwise(false);
            case "AddInPlace" -> new Elementwise(true);
            case "Split" -> new Split();
            case "View" -> new View();
            case "Reversed" -> new Reversed();
            case "Shift" -> new Shift();
            case "Copy" -> (DynamicKernel) context -> context.output(0, Tensor.copyOf(context.tensor(0)));
            case "Same" -> (DynamicKernel) context -> context.output(0, context.tensor(0));
            case "Repeat" ->
                (DynamicKernel) context -> {
                    Datum value = context.tensor(0);
                    for (int i = 0; i < 3; i++) {
                        value = context.runNested("body", List.of(value)).getFirst();
                    }
                    context.output(0, value);
                };
            default -> throw new IllegalArgumentException(node.op().toString());
        };
    }

    private static float at(MemorySegment memory, int index) {
        return memory.get(FLOAT, 4L * index);
    }

    private static void set(MemorySegment memory, int index, float value) {
        memory.set(FLOAT, 4L * index, value);
    }

    /** Returns types for each output of a node: that of its first input. */
    private static List<@Nullable ValueType> likeFirst(Node node, Facts facts) {
        var types = new ArrayList<@Nullable ValueType>();
        node.outputs().forEach(output -> types.add(facts.type(0)));
        return types;
    }

    /** The sum of all inputs and one, perhaps in the memory of the first. */
    private record Elementwise(boolean inPlace) implements ShapedKernel {
        @Override
        public List<@Nullable ValueType> outputs(Node node, Facts facts) {
            return likeFirst(node, facts);
        }

        @Override
        public Launch bind(BindContext context) {
            if (inPlace) {
                context.mayReuse(0, 0);
            }
            int inputs = context.inputCount();
            int count = (int) context.outputShape(0).elements();
            return run -> {
                for (int i = 0; i < count; i++) {
                    float sum = 1;
                    for (int j = 0; j < inputs; j++) {
                        sum += at(run.input(j), i);
                    }
                    set(run.output(0), i, sum * 0.5f);
                }
            };
        }
    }

    /** Two outputs: the input and its negative. */
    private static final class Split implements ShapedKernel {
        @Override
        public List<@Nullable ValueType> outputs(Node node, Facts facts) {
            return likeFirst(node, facts);
        }

        @Override
        public Launch bind(BindContext context) {
            int count = (int) context.outputShape(0).elements();
            return run -> {
                for (int i = 0; i < count; i++) {
                    float value = at(run.input(0), i);
                    set(run.output(0), i, value + 0.25f);
                    set(run.output(1), i, 0.25f - value);
                }
            };
        }
    }

    /** The memory of the input in another shape. */
    private static final class View implements ShapedKernel {
        @Override
        public List<@Nullable ValueType> outputs(Node node, Facts facts) {
            var types = new ArrayList<@Nullable ValueType>();
            types.add(
                    facts.type(0) instanceof ValueType.TensorType type && type.concreteShape() != null
                            ? ValueType.tensor(
                                    ElementType.FLOAT,
                                    Shape.of(
                                            1,
                                            Objects.requireNonNull(type.concreteShape())
                                                    .elements()))
                            : null);
            return types;
        }

        @Override
        public Launch bind(BindContext context) {
            context.alias(0, 0);
            return Launch.none();
        }
    }

    /** The input from its end to its start, by way of a workspace. */
    private static final class Reversed implements ShapedKernel {
        @Override
        public List<@Nullable ValueType> outputs(Node node, Facts facts) {
            return likeFirst(node, facts);
        }

        @Override
        public Launch bind(BindContext context) {
            int count = (int) context.outputShape(0).elements();
            context.workspace(4L * count);
            return run -> {
                MemorySegment between = run.workspace();
                for (int i = 0; i < count; i++) {
                    set(between, i, at(run.input(0), i));
                }
                for (int i = 0; i < count; i++) {
                    set(run.output(0), i, at(between, count - 1 - i));
                }
            };
        }
    }

    /** The input and the first number of a second input, whose content the binding needs. */
    private static final class Shift implements ShapedKernel {
        @Override
        public List<@Nullable ValueType> outputs(Node node, Facts facts) {
            return likeFirst(node, facts);
        }

        @Override
        public Launch bind(BindContext context) {
            float shift = context.requireValue(1).floats()[0];
            int count = (int) context.outputShape(0).elements();
            return (LaunchContext run) -> {
                for (int i = 0; i < count; i++) {
                    set(run.output(0), i, at(run.input(0), i) + shift);
                }
            };
        }
    }
}
