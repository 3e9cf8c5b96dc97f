package dev.millrace.scheduler.bind;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ForeignFailure;
import dev.millrace.graph.Status;
import dev.millrace.graph.infer.Facts;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.bind.StreamClocks.StepTime;
import dev.millrace.scheduler.device.Copy;
import dev.millrace.scheduler.kernel.DirectRun;
import dev.millrace.scheduler.kernel.DynamicKernel;
import dev.millrace.scheduler.kernel.InferredKernel;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.OutputTypes;
import dev.millrace.scheduler.kernel.Parts;
import dev.millrace.scheduler.kernel.PartsNeeded;
import dev.millrace.scheduler.kernel.ShapedKernel;
import dev.millrace.scheduler.plan.CopyKernel;
import dev.millrace.scheduler.plan.MemoryPlanner.Buffer;
import dev.millrace.scheduler.plan.Plan;
import dev.millrace.scheduler.plan.PlanStep;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Makes a binding: walks the steps from one on with the shapes that a run has so far, infers, binds, folds what follows
 * from shapes alone, and stops before the first step whose shapes depend on something that is not there yet.
 */
public final class Binder {
    private final Plan plan;
    private final LiveValues live;
    private final BindServices services;
    private final int from;
    private final SlotTable slots;
    private final StretchLayout layout;
    private final Set<Integer> contentKeys = new LinkedHashSet<>();
    private final List<BoundStep> steps = new ArrayList<>();
    private final StreamOrder order;

    /** @param from the first step of the stretch */
    public Binder(Plan plan, int from, LiveValues live, BindServices services) {
        this.plan = plan;
        this.live = live;
        this.services = services;
        this.from = from;
        this.slots = new SlotTable(plan, live);
        this.layout = new StretchLayout(plan, slots);
        this.order = new StreamOrder(plan, slots);
    }

    /** Takes for granted what a slot holds; no run may follow that binding unless it does. */
    public void assume(int slot, Tensor content) {
        slots.get(slot).known = content;
    }

    public Binding bind() {
        int at = from;
        while (at < plan.steps().size() && bind(plan.steps().get(at))) {
            at++;
        }
        return layout.finish(from, at, keys(at), steps, StreamPrograms.of(steps, order.times(), plan.streams()));
    }

    /** Binds one step; false where the stretch ends before it. */
    private boolean bind(PlanStep step) {
        checkCancelled();
        if (step.kernel() instanceof DynamicKernel) {
            add(step, BoundStep.of(step));
            markMade(step);
            return true;
        }
        ShapedKernel kernel = (ShapedKernel) step.kernel();
        for (int slot : step.inputs()) {
            if (slot != PlanStep.NONE && !slots.get(slot).isTensor()) {
                return stop(step, "input '" + plan.slots().get(slot).name() + "' is no tensor, or was never computed");
            }
        }
        try {
            InferredKernel inferred = infer(kernel, step);
            if (!OutputTypes.areConcrete(step.node(), inferred.outputs())) {
                return bindParts(
                        step, step.index() == from ? kernel.parts(step.node(), new StepFacts(step, true)) : null);
            }
            return bind(kernel, step, inferred);
        } catch (PartsNeeded needed) {
            return bindParts(step, step.index() == from ? needed.parts() : null);
        } catch (ContentOnDevice needed) {
            if (step.index() == from) {
                throw needed;
            }
            return false;
        } catch (ValueNeeded needed) {
            return stop(step, "the value of '" + plan.slots().get(needed.slot).name() + "' is not known");
        } catch (EngineException e) {
            throw String.valueOf(e.getMessage()).startsWith(step.node().describe()) ? e : e.at(step.describe());
        } catch (ArithmeticException e) {
            throw new EngineException(
                    Status.INVALID_ARGUMENT,
                    step.describe() + ": inputs of shapes " + inputShapes(step) + " are too large: " + e.getMessage(),
                    e);
        } catch (RuntimeException | LinkageError | OutOfMemoryError | StackOverflowError | InternalError e) {
            throw EngineException.wrap(Status.RUNTIME_EXCEPTION, step.describe(), ForeignFailure.neutral(e));
        }
    }

    private String inputShapes(PlanStep step) {
        return step.inputs().stream()
                .map(slot -> slot == PlanStep.NONE ? "(none)" : String.valueOf(slots.get(slot).shape))
                .collect(Collectors.joining(", "));
    }

    private boolean stop(PlanStep step, String reason) {
        if (step.index() == from) {
            throw EngineException.invalidGraph(step.describe() + ": " + reason);
        }
        return false;
    }

    private boolean bind(ShapedKernel kernel, PlanStep step, InferredKernel inferred) {
        if (isOnHost(step) && kernel.isPure() && isFoldable(step, inferred.outputs())) {
            fold(kernel, step);
            return true;
        }
        var context = new StepBinding(this, step, inferred.outputs());
        Launch launch =
                withUploads(step, context, context.makesElements() ? inferred.bind(context) : context.foldEmpty());
        for (int i = 0; i < step.outputs().size(); i++) {
            int slot = step.outputs().get(i);
            if (slot != PlanStep.NONE) {
                slots.get(slot).make(context.outputType(i), context.outputShape(i));
            }
        }
        StepTime time = launch == Launch.none() ? null : order.add(step);
        Buffer workspace = layout.place(step, context, time);
        if (launch != Launch.none()) {
            steps.add(BoundStep.of(step, launch, workspace));
            order.setMakers(step, time);
        }
        if (kernel instanceof CopyKernel && !slots.get(step.outputs().getFirst()).isFolded) {
            slots.get(step.outputs().getFirst()).known = slots.get(step.inputs().getFirst()).known;
        }
        return true;
    }

    /** Binds a step that is done in parts, each of them when its turn has come; false where it has none yet. */
    private boolean bindParts(PlanStep step, @Nullable Parts parts) {
        if (parts != null && !isOnHost(step)) {
            throw EngineException.notImplemented(step.describe() + ": a kernel on a device cannot be done in parts");
        }
        if (parts == null) {
            return stop(step, "the shape of its output does not follow from its inputs");
        }
        add(step, BoundStep.of(step, parts));
        markMade(step);
        return true;
    }

    /** Returns a launch that also uploads what was computed while binding and has to lie on a device. */
    private Launch withUploads(PlanStep step, StepBinding context, Launch launch) {
        var uploaded = new LinkedHashMap<>(context.folded);
        uploaded.keySet()
                .removeIf(output -> !layout.isUploaded(slots.get(step.outputs().get(output))));
        if (uploaded.isEmpty()) {
            return launch;
        }
        return run -> {
            var copies = new ArrayList<Copy>(uploaded.size());
            uploaded.forEach((output, value) -> copies.add(new Copy.Upload(value.segment(), run.outputRange(output))));
            run.stream().device().transfer().copy(copies, run.stream());
            if (launch != Launch.none()) {
                launch.run(run);
            }
        };
    }

    private boolean isOnHost(PlanStep step) {
        return !plan.streams().get(step.stream()).isAsynchronous();
    }

    /** Adds a step that makes its outputs itself. */
    private void add(PlanStep step, BoundStep bound) {
        steps.add(bound);
        StepTime time = order.add(step);
        if (time != null) {
            layout.read(step, time);
        }
        order.setMakers(step, time);
    }

    /** Says that a step makes its outputs, of which nothing is known before. */
    private void markMade(PlanStep step) {
        for (int slot : step.outputs()) {
            if (slot != PlanStep.NONE) {
                slots.get(slot).isMade = true;
            }
        }
    }

    private InferredKernel infer(ShapedKernel kernel, PlanStep step) {
        InferredKernel inferred = kernel.infer(step.node(), new StepFacts(step, false));
        OutputTypes.check(step.node(), step.provider(), inferred.outputs());
        return OutputTypes.areConcrete(step.node(), inferred.outputs())
                ? inferred
                : kernel.infer(step.node(), new StepFacts(step, true));
    }

    private boolean isFoldable(PlanStep step, List<@Nullable ValueType> outputs) {
        for (int slot : step.inputs()) {
            if (slot != PlanStep.NONE && slots.get(slot).known == null) {
                return false;
            }
        }
        return OutputTypes.bytes(step.node(), outputs) <= OutputTypes.MOST_FOLDED_BYTES
                && step.nested().isEmpty();
    }

    private void fold(ShapedKernel kernel, PlanStep step) {
        var inputs = new ArrayList<@Nullable Datum>();
        for (int slot : step.inputs()) {
            inputs.add(slot == PlanStep.NONE ? null : slots.get(slot).known);
        }
        List<@Nullable Datum> outputs = DirectRun.run(kernel, step.node(), inputs, services.scratch());
        for (int i = 0; i < step.outputs().size(); i++) {
            if (step.outputs().get(i) != PlanStep.NONE && outputs.get(i) instanceof Tensor tensor) {
                fold(step.outputs().get(i), tensor);
            }
        }
    }

    void fold(int slot, Tensor value) {
        SlotTable.Entry entry = slots.get(slot);
        entry.known = value;
        entry.isFolded = true;
        entry.make(value.type(), value.shape());
    }

    SlotTable.Entry slot(int slot) {
        return slots.get(slot);
    }

    void checkCancelled() {
        services.checkCancelled();
    }

    int parallelism() {
        return services.parallelism();
    }

    /** The content of a slot: known, or there in the run, which makes the binding depend on it; null where neither. */
    @Nullable
    Tensor content(int slot) {
        SlotTable.Entry entry = slots.get(slot);
        if (entry.known != null || entry.isMade) {
            return entry.known;
        }
        if (live.isOnDevice(slot)) {
            throw new ContentOnDevice(slot);
        }
        if (live.datum(slot) instanceof Tensor content) {
            contentKeys.add(slot);
            return content;
        }
        return null;
    }

    /** Every value from before the stretch that its steps read; contents are copied, since the binding outlives the run. */
    private List<Binding.Key> keys(int to) {
        var read = new LinkedHashSet<>(contentKeys);
        for (PlanStep step : plan.steps().subList(from, to)) {
            read.addAll(step.inputs());
        }
        read.remove(PlanStep.NONE);
        var keys = new ArrayList<Binding.Key>();
        for (int slot : read) {
            SlotTable.Entry entry = slots.get(slot);
            if (!entry.isMade && plan.slots().get(slot).constant() == null) {
                Tensor content = contentKeys.contains(slot) && live.datum(slot) instanceof Tensor there
                        ? Tensor.copyOf(there)
                        : null;
                keys.add(new Binding.Key(slot, entry.type, entry.shape, content));
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
            if (slot == PlanStep.NONE || !slots.get(slot).isTensor()) {
                return null;
            }
            SlotTable.Entry entry = slots.get(slot);
            return ValueType.tensor(entry.requireType(), entry.requireShape());
        }

        @Override
        public @Nullable Tensor value(int input) {
            int slot = slot(input);
            if (slot == PlanStep.NONE) {
                return null;
            }
            return withLive ? content(slot) : slots.get(slot).known;
        }
    }
}
