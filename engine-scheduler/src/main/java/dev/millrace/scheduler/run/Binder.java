package dev.millrace.scheduler.run;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.infer.Facts;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.kernel.DirectRun;
import dev.millrace.scheduler.kernel.DynamicKernel;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.Parts;
import dev.millrace.scheduler.kernel.PartsNeeded;
import dev.millrace.scheduler.kernel.ShapedKernel;
import dev.millrace.scheduler.plan.MemoryPlanner.Buffer;
import dev.millrace.scheduler.plan.Plan;
import dev.millrace.scheduler.plan.PlanStep;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Makes a binding: walks the steps from one on with the shapes that a frame holds, infers, binds, folds what follows from
 * shapes alone, and stops before the first step whose shapes depend on something that is not there yet.
 */
final class Binder {
    /** Results of shape arithmetic and small tables are worth keeping; bulk data is not. */
    private static final long FOLD_LIMIT = 1 << 20;

    private final Plan plan;
    private final Frame frame;
    private final int from;
    private final StretchLayout layout;
    private final @Nullable ElementType[] types;
    private final @Nullable Shape[] shapes;
    private final @Nullable Tensor[] known;
    private final boolean[] made;
    private final Set<Integer> contentKeys = new LinkedHashSet<>();
    private final List<BoundStep> steps = new ArrayList<>();

    Binder(Frame frame, int from) {
        this.plan = frame.plan;
        this.frame = frame;
        this.from = from;
        this.layout = new StretchLayout(plan);
        this.types = frame.types.clone();
        this.shapes = frame.shapes.clone();
        int slots = plan.slots().size();
        this.known = new Tensor[slots];
        this.made = new boolean[slots];
        for (int i = 0; i < slots; i++) {
            known[i] = plan.slots().get(i).constant();
        }
    }

    /** Takes for granted what a slot holds; no run may follow that binding unless it does. */
    void assume(int slot, Tensor content) {
        known[slot] = content;
    }

    Binding bind() {
        int at = from;
        while (at < plan.steps().size() && bind(plan.steps().get(at))) {
            at++;
        }
        return layout.finish(from, at, keys(at), steps, types, shapes, known);
    }

    /** Binds one step; false where the stretch ends before it. */
    private boolean bind(PlanStep step) {
        checkCancelled();
        if (step.kernel() instanceof DynamicKernel) {
            markMade(step);
            steps.add(BoundStep.of(step));
            return true;
        }
        ShapedKernel kernel = (ShapedKernel) step.kernel();
        for (int slot : step.inputs()) {
            if (slot != PlanStep.NONE && (types[slot] == null || shapes[slot] == null)) {
                return stop(step, "input '" + plan.slots().get(slot).name() + "' is no tensor, or was never computed");
            }
        }
        try {
            List<@Nullable ValueType> outputs = outputs(kernel, step);
            if (!isConcrete(step, outputs)) {
                return bindParts(
                        step, step.index() == from ? kernel.parts(step.node(), new StepFacts(step, true)) : null);
            }
            return bind(kernel, step, outputs);
        } catch (PartsNeeded needed) {
            return bindParts(step, step.index() == from ? needed.parts() : null);
        } catch (ValueNeeded needed) {
            return stop(step, "the value of '" + plan.slots().get(needed.slot).name() + "' is not known");
        } catch (EngineException e) {
            throw String.valueOf(e.getMessage()).startsWith(step.node().describe()) ? e : e.at(step.describe());
        } catch (ArithmeticException e) {
            throw new EngineException(
                    Status.INVALID_ARGUMENT,
                    step.describe() + ": inputs of shapes " + inputShapes(step) + " are too large: " + e.getMessage(),
                    e);
        } catch (RuntimeException | OutOfMemoryError | StackOverflowError | InternalError e) {
            throw EngineException.wrap(Status.RUNTIME_EXCEPTION, step.describe(), e);
        }
    }

    private String inputShapes(PlanStep step) {
        return step.inputs().stream()
                .map(slot -> slot == PlanStep.NONE ? "(none)" : String.valueOf(shapes[slot]))
                .collect(Collectors.joining(", "));
    }

    private boolean stop(PlanStep step, String reason) {
        if (step.index() == from) {
            throw EngineException.invalidGraph(step.describe() + ": " + reason);
        }
        return false;
    }

    private boolean bind(ShapedKernel kernel, PlanStep step, List<@Nullable ValueType> outputs) {
        if (kernel.isPure() && isFoldable(step, outputs)) {
            fold(kernel, step);
            return true;
        }
        var context = new StepBinding(this, step, outputs);
        Launch launch = context.makesElements() ? kernel.bind(context) : context.foldEmpty();
        for (int i = 0; i < step.outputs().size(); i++) {
            int slot = step.outputs().get(i);
            if (slot != PlanStep.NONE) {
                declare(slot, context.outputType(i), context.outputShape(i));
            }
        }
        Buffer workspace = layout.place(step, context);
        if (launch != Launch.none()) {
            steps.add(BoundStep.of(step, launch, workspace));
        }
        return true;
    }

    /** Binds a step that is done in parts, each of them when its turn has come; false where it has none yet. */
    private boolean bindParts(PlanStep step, @Nullable Parts parts) {
        if (parts == null) {
            return stop(step, "the shape of its output does not follow from its inputs");
        }
        markMade(step);
        steps.add(BoundStep.of(step, frame.runner.partsOf(step, parts)));
        return true;
    }

    /** Says that a step makes its outputs, of which nothing is known before. */
    private void markMade(PlanStep step) {
        for (int slot : step.outputs()) {
            if (slot != PlanStep.NONE) {
                made[slot] = true;
            }
        }
    }

    void declare(int slot, ElementType type, Shape shape) {
        made[slot] = true;
        types[slot] = type;
        shapes[slot] = shape;
    }

    private List<@Nullable ValueType> outputs(ShapedKernel kernel, PlanStep step) {
        List<@Nullable ValueType> outputs = kernel.outputs(step.node(), new StepFacts(step, false));
        return isConcrete(step, outputs) ? outputs : kernel.outputs(step.node(), new StepFacts(step, true));
    }

    private static boolean isConcrete(PlanStep step, List<@Nullable ValueType> outputs) {
        for (int i = 0; i < step.outputs().size(); i++) {
            if (step.outputs().get(i) == PlanStep.NONE) {
                continue;
            }
            if (i >= outputs.size()
                    || !(outputs.get(i) instanceof ValueType.TensorType type)
                    || type.element() == null
                    || type.concreteShape() == null) {
                return false;
            }
        }
        return true;
    }

    private boolean isFoldable(PlanStep step, List<@Nullable ValueType> outputs) {
        long bytes = 0;
        for (int i = 0; i < step.outputs().size(); i++) {
            if (step.outputs().get(i) != PlanStep.NONE && outputs.get(i) instanceof ValueType.TensorType type) {
                ElementType element = Objects.requireNonNull(type.element());
                bytes += element.bytes(
                        Objects.requireNonNull(type.concreteShape()).elements());
            }
        }
        for (int slot : step.inputs()) {
            if (slot != PlanStep.NONE && known[slot] == null) {
                return false;
            }
        }
        return bytes <= FOLD_LIMIT && step.nested().isEmpty();
    }

    private void fold(ShapedKernel kernel, PlanStep step) {
        var inputs = new ArrayList<@Nullable Datum>();
        for (int slot : step.inputs()) {
            inputs.add(slot == PlanStep.NONE ? null : known[slot]);
        }
        List<@Nullable Datum> outputs = DirectRun.run(kernel, step.node(), inputs, frame.lanes[0].scratch());
        for (int i = 0; i < step.outputs().size(); i++) {
            if (step.outputs().get(i) != PlanStep.NONE && outputs.get(i) instanceof Tensor tensor) {
                fold(step.outputs().get(i), tensor);
            }
        }
    }

    void fold(int slot, Tensor value) {
        known[slot] = value;
        declare(slot, value.type(), value.shape());
        layout.fold(slot, value);
    }

    @Nullable
    Tensor known(int slot) {
        return known[slot];
    }

    ElementType type(int slot) {
        return Objects.requireNonNull(types[slot]);
    }

    Shape shape(int slot) {
        return Objects.requireNonNull(shapes[slot]);
    }

    void checkCancelled() {
        frame.cancellation.check();
    }

    int parallelism() {
        return frame.threads;
    }

    /** The content of a slot: known, or there in the frame, which makes the binding depend on it; null where neither. */
    @Nullable
    Tensor content(int slot) {
        Tensor constant = known[slot];
        if (constant != null || made[slot]) {
            return constant;
        }
        if (frame.datum(slot) instanceof Tensor live) {
            contentKeys.add(slot);
            return live;
        }
        return null;
    }

    /** Every value from before the stretch that its steps read; contents are copied, since the binding outlives the run. */
    private List<Binding.Key> keys(int to) {
        var slots = new LinkedHashSet<>(contentKeys);
        for (PlanStep step : plan.steps().subList(from, to)) {
            slots.addAll(step.inputs());
        }
        slots.remove(PlanStep.NONE);
        var keys = new ArrayList<Binding.Key>();
        for (int slot : slots) {
            if (!made[slot] && plan.slots().get(slot).constant() == null) {
                Tensor content = contentKeys.contains(slot) && frame.datum(slot) instanceof Tensor live
                        ? Tensor.copyOf(live)
                        : null;
                keys.add(new Binding.Key(slot, types[slot], shapes[slot], content));
            }
        }
        return keys;
    }

    /** Thrown by a kernel's binding where it needs a content that is only known once the stretch has run. */
    static final class ValueNeeded extends RuntimeException {
        private static final long serialVersionUID = 1L;
        private final int slot;

        ValueNeeded(int slot) {
            super(null, null, false, false);
            this.slot = slot;
        }
    }

    private final class StepFacts implements Facts {
        private final PlanStep step;
        private final boolean withLive;

        StepFacts(PlanStep step, boolean withLive) {
            this.step = step;
            this.withLive = withLive;
        }

        private int slot(int input) {
            return input < step.inputs().size() ? step.inputs().get(input) : PlanStep.NONE;
        }

        @Override
        public @Nullable ValueType type(int input) {
            int slot = slot(input);
            ElementType type = slot == PlanStep.NONE ? null : types[slot];
            Shape shape = slot == PlanStep.NONE ? null : shapes[slot];
            return type == null || shape == null ? null : ValueType.tensor(type, shape);
        }

        @Override
        public @Nullable Tensor value(int input) {
            int slot = slot(input);
            if (slot == PlanStep.NONE) {
                return null;
            }
            return withLive ? content(slot) : known[slot];
        }
    }
}
