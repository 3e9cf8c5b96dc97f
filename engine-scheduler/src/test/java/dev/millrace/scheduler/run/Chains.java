package dev.millrace.scheduler.run;

import dev.millrace.graph.infer.Facts;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ByteLayouts;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.graph.tensor.TensorSequence;
import dev.millrace.scheduler.device.Device;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.DynamicKernel;
import dev.millrace.scheduler.kernel.Kernel;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.kernel.ShapedKernel;
import dev.millrace.scheduler.plan.PlanBuilder;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Kernels for tests, by operator name: Inc adds one, Sum adds its inputs, Positive keeps what is above zero, ... */
final class Chains {
    /** The number of times that a kernel was bound. */
    final AtomicInteger binds = new AtomicInteger();
    /** The number of times that a bound kernel had to prepare its first run. */
    final AtomicInteger rehearsals = new AtomicInteger();
    /** The addresses that Inc has written to, in the order of the runs. */
    final List<Long> written = Collections.synchronizedList(new ArrayList<>());
    /** An action that runs while Inc is bound. */
    Runnable binding = () -> {};
    /** The action of the operator Meanwhile. */
    Runnable meanwhile = () -> {};
    /** The number of further runs in which Hungry finds no memory. */
    final AtomicInteger hunger = new AtomicInteger();

    PlanBuilder.Assigner on(Device device) {
        return node -> new PlanBuilder.Assignment(kernel(node), "test", device);
    }

    Kernel kernel(Node node) {
        return switch (node.op().name()) {
            case "Inc" -> new SameShape(true);
            case "Sum" -> new SameShape(false);
            case "Positive" ->
                (DynamicKernel) context -> {
                    float[] values = context.tensor(0).floats();
                    var kept = new ArrayList<Float>();
                    for (float value : values) {
                        if (value > 0) {
                            kept.add(value);
                        }
                    }
                    float[] out = new float[kept.size()];
                    for (int i = 0; i < out.length; i++) {
                        out[i] = kept.get(i);
                    }
                    context.output(0, Tensor.copyOf(out, out.length));
                };
            case "Meanwhile" ->
                (DynamicKernel) context -> {
                    meanwhile.run();
                    context.output(0, Tensor.copyOf(context.tensor(0)));
                };
            case "Hungry" ->
                (DynamicKernel) context -> {
                    if (hunger.getAndDecrement() > 0) {
                        throw new OutOfMemoryError("planted");
                    }
                    context.output(0, Tensor.copyOf(context.tensor(0)));
                };
            case "Same" -> (DynamicKernel) context -> context.output(0, context.tensor(0));
            case "Wrap" -> (DynamicKernel) context -> context.output(0, TensorSequence.of(context.tensor(0)));
            case "Unwrap" ->
                (DynamicKernel) context -> context.output(
                        0,
                        ((TensorSequence) Objects.requireNonNull(context.input(0)))
                                .elements()
                                .getFirst());
            case "Halves" ->
                (DynamicKernel) context -> {
                    Tensor whole = context.tensor(0);
                    Shape half = Shape.of(whole.elements() / 2);
                    Tensor made = context.allocate(ElementType.FLOAT, whole.shape());
                    MemorySegment memory = made.segment().copyFrom(whole.segment());
                    long bytes = memory.byteSize() / 2;
                    context.output(
                            0,
                            TensorSequence.of(
                                    Tensor.wrap(ElementType.FLOAT, half, memory.asSlice(0, bytes)),
                                    Tensor.wrap(ElementType.FLOAT, half, memory.asSlice(bytes, bytes))));
                };
            case "Steps" ->
                (DynamicKernel) context -> {
                    List<Datum> before = List.of();
                    Datum value = context.tensor(0);
                    for (int i = 0; i < 4; i++) {
                        List<Datum> results = context.runNested("body", List.of(value));
                        before.forEach(Datum::close);
                        before = results;
                        value = results.getLast();
                    }
                    context.output(0, value);
                };
            case "Take" -> new Take();
            case "View" -> new View();
            case "Fail" ->
                (DynamicKernel) context -> {
                    throw new IllegalStateException("planted");
                };
            default -> throw new IllegalArgumentException(node.op().toString());
        };
    }

    private final class SameShape implements ShapedKernel {
        private final boolean increment;

        SameShape(boolean increment) {
            this.increment = increment;
        }

        @Override
        public List<@Nullable ValueType> outputs(Node node, Facts facts) {
            var types = new ArrayList<@Nullable ValueType>();
            node.outputs().forEach(output -> types.add(facts.type(0)));
            return types;
        }

        @Override
        public Launch bind(BindContext context) {
            binds.incrementAndGet();
            binding.run();
            int inputs = context.inputCount();
            int count = (int) context.outputShape(0).elements();
            context.mayReuse(0, 0);
            return new Launch() {
                @Override
                public void run(LaunchContext run) {
                    written.add(run.output(0).address());
                    for (int i = 0; i < count; i++) {
                        float sum = increment ? 1 : 0;
                        for (int j = 0; j < inputs; j++) {
                            sum += run.input(j).get(ByteLayouts.FLOAT, 4L * i);
                        }
                        run.output(0).set(ByteLayouts.FLOAT, 4L * i, sum);
                    }
                }

                @Override
                public void prewarm(Runnable checkCancelled) {
                    checkCancelled.run();
                    rehearsals.incrementAndGet();
                }
            };
        }
    }

    /** A kernel that returns the first elements of input 0, as many as input 1 says. */
    private final class Take implements ShapedKernel {
        @Override
        public List<@Nullable ValueType> outputs(Node node, Facts facts) {
            var types = new ArrayList<@Nullable ValueType>();
            Tensor count = facts.value(1);
            types.add(
                    count == null
                            ? ValueType.tensor(ElementType.FLOAT)
                            : ValueType.tensor(
                                    ElementType.FLOAT, Shape.of(Elements.getLong(count.type(), count.segment(), 0))));
            return types;
        }

        @Override
        public Launch bind(BindContext context) {
            binds.incrementAndGet();
            long bytes = 4 * context.outputShape(0).elements();
            return run -> run.output(0).copyFrom(run.input(0).asSlice(0, bytes));
        }
    }

    private static final class View implements ShapedKernel {
        @Override
        public List<@Nullable ValueType> outputs(Node node, Facts facts) {
            var types = new ArrayList<@Nullable ValueType>();
            if (facts.type(0) instanceof ValueType.TensorType type && type.concreteShape() != null) {
                types.add(ValueType.tensor(
                        ElementType.FLOAT, Shape.of(1, type.concreteShape().elements())));
            }
            return types;
        }

        @Override
        public Launch bind(BindContext context) {
            context.alias(0, 0);
            return Launch.none();
        }
    }
}
