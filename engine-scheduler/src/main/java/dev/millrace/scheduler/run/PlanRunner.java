package dev.millrace.scheduler.run;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.scheduler.bind.Binder;
import dev.millrace.scheduler.bind.Binding;
import dev.millrace.scheduler.bind.BoundStep;
import dev.millrace.scheduler.device.Device;
import dev.millrace.scheduler.device.DeviceFailure;
import dev.millrace.scheduler.device.DeviceRange;
import dev.millrace.scheduler.event.RunListener;
import dev.millrace.scheduler.kernel.Kernel;
import dev.millrace.scheduler.kernel.Parts;
import dev.millrace.scheduler.plan.NestedPlan;
import dev.millrace.scheduler.plan.Plan;
import dev.millrace.scheduler.plan.PlanBuilder;
import dev.millrace.scheduler.plan.PlanStep;
import dev.millrace.scheduler.plan.Slot;
import dev.millrace.scheduler.plan.SlotPool;
import dev.millrace.scheduler.pool.HostThreads;
import dev.millrace.scheduler.pool.WorkerPool;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Runs a plan, from any number of threads at a time. It keeps the bindings of recent shapes and the frames of runs that
 * have ended.
 */
public final class PlanRunner implements AutoCloseable {
    private final Plan plan;
    private final WorkerPool pool;
    private final int threads;
    private final StretchCache stretches;
    private final SlotPool<Frame> frames = new SlotPool<>(256);
    private final Map<PlanStep, Map<String, PlanRunner>> nested = new IdentityHashMap<>();
    private final int[] variableSlots;
    private final int[] inputSlots;
    private final IdleMemory idleMemory;
    private final DeviceServices services;
    /** The devices of the streams that a run takes. */
    private final List<Device> devices;

    /** The constants that lie on devices; null where there are none. */
    private final DeviceWeights.@Nullable Held weights;

    /** The memory of copies of results, for each output. */
    private final ResultCopies[] copies;

    /**
     * @param threads the number of threads that one run may use, the caller's included
     * @param maxBindings the number of bindings that are kept for each stretch
     */
    public PlanRunner(Plan plan, WorkerPool pool, int threads, int maxBindings) {
        this(plan, pool, threads, maxBindings, new IdleMemory());
    }

    /** @param idleMemory idle memory that is released where a run of this plan finds none */
    public PlanRunner(Plan plan, WorkerPool pool, int threads, int maxBindings, IdleMemory idleMemory) {
        this(plan, pool, threads, maxBindings, idleMemory, DeviceServices.of(HostThreads.of(pool)));
    }

    /**
     * @param idleMemory idle memory that is released where a run of this plan finds none
     * @param services what runs on devices share
     */
    public PlanRunner(
            Plan plan, WorkerPool pool, int threads, int maxBindings, IdleMemory idleMemory, DeviceServices services) {
        this.plan = plan;
        this.services = services;
        this.devices = plan.streams().stream().filter(Device::isAsynchronous).toList();
        this.idleMemory = idleMemory;
        this.pool = pool;
        this.threads = Math.max(1, Math.min(threads, pool.parallelism()));
        this.stretches = new StretchCache(plan.steps().size() + 1, maxBindings);
        this.inputSlots = plan.inputs().stream().mapToInt(Integer::intValue).toArray();
        this.variableSlots = plan.slots().stream()
                .filter(slot -> slot.constant() == null)
                .mapToInt(slot -> slot.index())
                .toArray();
        for (PlanStep step : plan.steps()) {
            if (!step.nested().isEmpty()) {
                var runners = new HashMap<String, PlanRunner>();
                step.nested()
                        .forEach((name, body) -> runners.put(
                                name, new PlanRunner(body.plan(), pool, threads, maxBindings, idleMemory, services)));
                nested.put(step, runners);
            }
        }
        copies = new ResultCopies[plan.outputs().size()];
        Arrays.setAll(copies, i -> new ResultCopies(plan.outputNames().get(i)));
        idleMemory.add(this);
        weights = devices.isEmpty() ? null : services.weights().hold(constantsOnDevices(plan));
    }

    private static Map<Integer, DeviceWeights.Wanted> constantsOnDevices(Plan plan) {
        var wanted = new LinkedHashMap<Integer, DeviceWeights.Wanted>();
        for (Slot slot : plan.slots()) {
            if (slot.constant() != null && !slot.place().isHost()) {
                wanted.put(slot.index(), new DeviceWeights.Wanted(slot.place(), slot.constant()));
            }
        }
        return wanted;
    }

    /** The source of a run's inputs. */
    @FunctionalInterface
    public interface InputSource {
        /** Returns the input of this name, or null for its default. */
        @Nullable
        Datum input(String name);

        /**
         * Returns the input of this name if the run may compute an output in its memory, else null. The output is then
         * this tensor. Only kernels that say so ({@code BindContext.mayReuse}) compute in place.
         */
        default @Nullable Tensor donated(String name) {
            return null;
        }
    }

    public Plan plan() {
        return plan;
    }

    int[] variableSlots() {
        return variableSlots;
    }

    /** Releases the memory that no run has needed since the last call. */
    public void trim() {
        stretches.all().forEach(Stretch::trim);
        frames.trim(Frame::trim);
        for (ResultCopies copiesOfResult : copies) {
            copiesOfResult.trim();
        }
        nested.values().forEach(runners -> runners.values().forEach(PlanRunner::trim));
    }

    /**
     * Releases all that is kept for later runs, and returns the number of released objects. Runs under way are not
     * affected.
     */
    public int giveUp() {
        int count = stretches.clear() + frames.clear();
        for (ResultCopies copiesOfResult : copies) {
            count += copiesOfResult.clear();
        }
        for (Map<String, PlanRunner> runners : nested.values()) {
            for (PlanRunner runner : runners.values()) {
                count += runner.giveUp();
            }
        }
        return count;
    }

    /** Frees what lies on devices. Runs under way free what they have when they end. */
    @Override
    public void close() {
        giveUp();
        if (weights != null) {
            weights.close();
        }
        nested.values().forEach(runners -> runners.values().forEach(PlanRunner::close));
    }

    List<Device> devices() {
        return devices;
    }

    DeviceStreams streams() {
        return services.streams();
    }

    /** The constants that lie on devices, by their slots. */
    Map<Integer, DeviceRange> constants() {
        return weights == null ? Map.of() : weights.ranges();
    }

    /** The bytes of intermediate values that are kept for later runs. */
    long idleBytes() {
        return stretches.all().stream().mapToLong(Stretch::idleBytes).sum();
    }

    /** Returns summaries of the bindings that are kept right now. */
    public List<StretchSummary> stretches() {
        return stretches.all().stream()
                .map(stretch -> StretchSummary.of(stretch.binding))
                .toList();
    }

    /** Calls {@code work} with a frame that no run uses. */
    <T> T inFrame(Cancellation cancellation, Function<Frame, T> work) {
        Frame frame = takeFrame();
        try {
            frame.cancellation = cancellation;
            return work.apply(frame);
        } finally {
            giveBack(frame);
        }
    }

    /**
     * Returns the kept binding of the stretch from step {@code from} on that fits the values of a frame; null where
     * there is none.
     */
    @Nullable
    Binding known(int from, Frame frame) {
        Stretch known = stretches.find(from, frame);
        return known == null ? null : known.binding;
    }

    /** Keeps a binding for later runs and prepares them. */
    void keep(Binding binding, Frame frame) {
        idleMemory.admit(binding.runBytes);
        prewarm(binding, frame.cancellation);
        stretches.add(binding.from, stretch(binding), frame);
    }

    private static void prewarm(Binding binding, Cancellation cancellation) {
        try {
            binding.prewarm(cancellation::check);
        } catch (RuntimeException | OutOfMemoryError failure) {
            cancellation.check();
            System.getLogger(PlanRunner.class.getName())
                    .log(System.Logger.Level.DEBUG, "what a first run needs is left to it", failure);
        }
    }

    int inputSlot(int input) {
        return inputSlots[input];
    }

    /** Runs once. The inputs are read during the run only; the results are in the plan's order and are the caller's. */
    public Datum[] run(InputSource inputs, Cancellation cancellation, @Nullable RunListener listener) {
        long start = listener == null ? 0 : System.nanoTime();
        boolean failed = true;
        try {
            Datum[] results = runWithRetry(inputs, cancellation, listener);
            failed = false;
            return results;
        } finally {
            if (listener != null) {
                listener.runEnded(plan.name(), start, System.nanoTime(), failed);
            }
        }
    }

    /**
     * Starts a run. Where devices do its steps, it holds no thread while they work, and may be over when this returns or
     * later; otherwise it runs here. What it throws before it has begun is told to {@code end} like any failure.
     */
    public void start(
            InputSource inputs, Cancellation cancellation, @Nullable RunListener listener, RunEnd end) {
        if (plan.isPlain()) {
            Datum[] results;
            try {
                results = run(inputs, cancellation, listener);
            } catch (RuntimeException | Error thrown) {
                end.failed(thrown);
                return;
            }
            end.succeeded(results);
        } else {
            new StartedRun(this, inputs, cancellation, listener, end).start();
        }
    }

    /** Takes a frame for a run, with its inputs. */
    Frame begin(InputSource inputs, Cancellation cancellation, @Nullable RunListener listener) {
        Frame frame = takeFrame();
        try {
            frame.cancellation = cancellation;
            frame.listener = listener;
            put(inputs, frame);
            frame.source = inputs;
            return frame;
        } catch (RuntimeException | Error thrown) {
            giveBack(frame);
            throw thrown;
        }
    }

    /** Whether idle memory was released, so that a run that found none may be tried again. */
    boolean gaveUpFor(Throwable failure) {
        return failure instanceof EngineException
                && failure.getCause() instanceof OutOfMemoryError
                && idleMemory.giveUp();
    }

    /** The failure of a run in the form that its caller gets. */
    EngineException named(Throwable thrown) {
        if (thrown instanceof DeviceFailure failed) {
            return new EngineException(
                    Status.EP_FAIL, "run of '" + plan.name() + "': " + failed.getMessage(), failed);
        }
        return thrown instanceof EngineException known
                ? known
                : EngineException.wrap(Status.RUNTIME_EXCEPTION, "run of '" + plan.name() + "'", thrown);
    }

    DeviceServices services() {
        return services;
    }

    /** Runs, and once more if memory was short and idle memory could be released. */
    private Datum[] runWithRetry(InputSource inputs, Cancellation cancellation, @Nullable RunListener listener) {
        try {
            return runOnce(inputs, cancellation, listener);
        } catch (EngineException e) {
            if (!gaveUpFor(e)) {
                throw e;
            }
        }
        return runOnce(inputs, cancellation, listener);
    }

    private Datum[] runOnce(InputSource inputs, Cancellation cancellation, @Nullable RunListener listener) {
        boolean interrupted = Thread.currentThread().isInterrupted();
        pool.runBegins();
        try {
            Frame frame = begin(inputs, cancellation, listener);
            try {
                if (!plan.isPlain()) {
                    return runOnDevices(frame, false, this::results);
                }
                bindAndRun(frame);
                return results(frame);
            } finally {
                giveBack(frame);
            }
        } catch (RuntimeException | Error e) {
            if (!interrupted && ClosedMemory.isBehind(e)) {
                Thread.interrupted();
            }
            throw named(e);
        } finally {
            pool.runEnds();
        }
    }

    void put(InputSource inputs, Frame frame) {
        for (int slot : inputSlots) {
            String name = plan.slots().get(slot).name();
            Datum datum = inputs.input(name);
            Datum value = datum == null ? plan.defaults().get(slot) : datum;
            if (value == null) {
                throw EngineException.invalidArgument("Missing Input: " + name);
            }
            frame.putInput(slot, value);
        }
    }

    /** Ends the run in a frame, and keeps the frame for later runs. */
    void giveBack(Frame frame) {
        frame.reset();
        frames.give(frame);
    }

    /** Runs in a frame, and waits for the end on this thread, which does the tasks of the run meanwhile. */
    private <T> T runOnDevices(Frame frame, boolean isNested, Function<Frame, T> results) {
        var tasks = new RunTasks(services.threads());
        var run = new DeviceRun<>(this, frame, tasks, results, () -> {});
        if (isNested) {
            run.startWithin(services.streams());
        } else {
            run.start(services.streams());
        }
        tasks.workUntil(run::isOver);
        return run.resultOrFailure();
    }

    Datum[] results(Frame frame) {
        Datum[] results = new Datum[plan.outputs().size()];
        for (int i = 0; i < results.length; i++) {
            Tensor detached = frame.detachOutput(i);
            results[i] = detached != null ? detached : ownedResult(frame, i);
        }
        return results;
    }

    /** Returns a result that is not in output memory: the memory of a dynamic step is passed on, all else is copied. */
    private Datum ownedResult(Frame frame, int index) {
        Datum result = result(frame, index);
        if (result instanceof Tensor tensor && tensor.type() != ElementType.STRING) {
            Tensor handedOver = frame.handOver(tensor);
            return handedOver != null
                    ? handedOver
                    : copies[index].copyOf(tensor.type(), tensor.shape(), tensor.segment());
        }
        try {
            return Data.deepCopy(result, frame::handOver, frame.cancellation);
        } catch (OutOfMemoryError e) {
            throw new EngineException(
                    Status.FAIL,
                    "no memory for output '" + plan.outputNames().get(index)
                            + "'; raise -XX:MaxDirectMemorySize, or run smaller inputs or fewer runs at a time",
                    e);
        }
    }

    private Frame takeFrame() {
        Frame frame = frames.take();
        return frame == null ? new Frame(this, pool, threads) : frame;
    }

    private void bindAndRun(Frame frame) {
        int at = 0;
        while (at < plan.steps().size()) {
            Stretch stretch = stretch(at, frame);
            frame.runPlain(frame.enter(stretch));
            at = stretch.binding.to;
        }
    }

    /** Returns the stretch from a step on that fits the values of a frame, bound now where none is kept. */
    Stretch stretch(int from, Frame frame) {
        Stretch stretch = stretches.find(from, frame);
        return stretch == null ? stretches.add(from, bound(frame, from), frame) : stretch;
    }

    private Stretch bound(Frame frame, int from) {
        RunListener listener = frame.listener;
        RunListener.BindingListener heard = listener == null ? null : listener.bindingBegins(plan.name());
        Binding binding = new Binder(plan, from, frame, frame).bind();
        idleMemory.admit(binding.runBytes);
        if (heard != null) {
            heard.ended(binding.describeKeys(plan));
        }
        return stretch(binding);
    }

    private Stretch stretch(Binding binding) {
        @Nullable StepParts[] parts = new StepParts[binding.steps.size()];
        for (int i = 0; i < parts.length; i++) {
            BoundStep step = binding.steps.get(i);
            Parts work = step.parts();
            parts[i] = work == null ? null : partsOf(step.step(), work);
        }
        return new Stretch(binding, parts);
    }

    private Datum result(Frame frame, int index) {
        Datum value = frame.datum(plan.outputs().get(index));
        if (value == null) {
            throw EngineException.invalidGraph(
                    "output '" + plan.outputNames().get(index) + "' was not computed by any node");
        }
        return value;
    }

    /** Runs the nested graph of a step within the run of {@code outer}. */
    List<Datum> runNested(Frame outer, PlanStep step, String attribute, List<Datum> inputs) {
        NestedPlan body = step.nested().get(attribute);
        PlanRunner runner = nested.getOrDefault(step, Map.of()).get(attribute);
        if (body == null || runner == null) {
            throw EngineException.invalidGraph("there is no nested graph '" + attribute + "'");
        }
        return runner.runInside(outer, body.captures(), inputs);
    }

    /** Plans the parts in which a step of this plan is done. */
    private StepParts partsOf(PlanStep step, Parts parts) {
        Plan inParts = PlanBuilder.build(parts.graph(), node -> {
            Kernel kernel = parts.kernels().create(node);
            if (kernel == null) {
                throw EngineException.notImplemented(node.describe() + " has no kernel");
            }
            return new PlanBuilder.Assignment(
                    kernel, step.provider(), plan.streams().get(step.stream()));
        });
        return new StepParts(
                new PlanRunner(inParts, pool, threads, stretches.limit(), idleMemory, services), parts.outputs());
    }

    /** Runs this plan within the run of {@code outer}. */
    List<Datum> runInside(Frame outer, List<NestedPlan.Capture> captures, List<Datum> inputs) {
        if (inputs.size() != plan.inputs().size()) {
            throw EngineException.invalidGraph("nested graph '" + plan.name() + "' takes "
                    + plan.inputs().size() + " inputs but gets " + inputs.size());
        }
        Frame frame = takeFrame();
        frame.cancellation = outer.cancellation;
        frame.listener = outer.listener;
        frame.isNested = true;
        try {
            for (int i = 0; i < inputs.size(); i++) {
                putNested(frame, inputSlots[i], inputs.get(i));
            }
            for (NestedPlan.Capture capture : captures) {
                Datum value = outer.datum(capture.outerSlot());
                if (value != null) {
                    putNested(frame, capture.innerSlot(), value);
                }
            }
            if (!plan.isPlain()) {
                return runOnDevices(frame, true, ended -> nestedResults(ended, captures));
            }
            bindAndRun(frame);
            return nestedResults(frame, captures);
        } finally {
            giveBack(frame);
        }
    }

    private List<Datum> nestedResults(Frame frame, List<NestedPlan.Capture> captures) {
        @Nullable Tensor[] detached = new Tensor[copies.length];
        for (int i = 0; i < detached.length; i++) {
            detached[i] = frame.detachOutput(i);
        }
        var results = new ArrayList<Datum>(detached.length);
        for (int i = 0; i < detached.length; i++) {
            Tensor result = detached[i];
            results.add(result != null ? result : passedOn(frame, captures, i, detached));
        }
        return results;
    }

    private static void putNested(Frame frame, int slot, Datum value) {
        if (value instanceof Tensor tensor) {
            frame.lend(slot, tensor);
        } else {
            frame.put(slot, value);
        }
    }

    /**
     * Returns a result that is not in output memory: a view where it is the same as a result that is. A value in a
     * block, of this frame or of an enclosing one, is copied. A value of a dynamic step and a constant are passed on as
     * views, and stay open when the result is closed.
     */
    private Datum passedOn(Frame frame, List<NestedPlan.Capture> captures, int index, @Nullable Tensor[] detached) {
        int slot = plan.outputs().get(index);
        Datum value = result(frame, index);
        if (value instanceof Tensor tensor) {
            MemorySegment content = frame.data[slot] == null ? frame.segments[slot] : null;
            return content == null ? tensor.reshaped(tensor.shape()) : inBlock(frame, index, tensor, content, detached);
        }
        boolean outside =
                plan.inputs().contains(slot) || captures.stream().anyMatch(capture -> capture.innerSlot() == slot);
        return outside ? Data.copyOf(value, frame.cancellation) : value;
    }

    private Tensor inBlock(Frame frame, int index, Tensor tensor, MemorySegment content, @Nullable Tensor[] detached) {
        for (int i = 0; i < detached.length; i++) {
            Tensor result = detached[i];
            if (result != null && content.equals(frame.segments[plan.outputs().get(i)])) {
                return result.reshaped(tensor.shape());
            }
        }
        return copies[index].copyOf(tensor.type(), tensor.shape(), content);
    }
}
