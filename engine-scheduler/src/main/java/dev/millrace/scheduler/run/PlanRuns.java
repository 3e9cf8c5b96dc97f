package dev.millrace.scheduler.run;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.scheduler.bind.Binder;
import dev.millrace.scheduler.bind.Binding;
import dev.millrace.scheduler.bind.BoundStep;
import dev.millrace.scheduler.device.Device;
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
import dev.millrace.scheduler.pool.WorkerPool;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The runs of one plan, nested or not: its stretches, its frames, and the runs of the graphs nested in it. */
final class PlanRuns implements RunOwner, IdleMemory.Holder {
    private final Plan plan;
    private final boolean isPlain;
    private final boolean waitsWithin;
    private final WorkerPool pool;
    private final int threads;
    private final StretchCache stretches;
    private final SlotPool<Frame> frames = new SlotPool<>(256);
    /** The number of calls of {@link #trim}. The frame of a run under way is trimmed when that run ends. */
    private final AtomicInteger trims = new AtomicInteger();

    private final Map<PlanStep, Map<String, PlanRuns>> nested = new IdentityHashMap<>();
    private final int[] variableSlots;
    private final int[] inputSlots;
    private final RunResults results;
    private final EdgeCopies edgeCopies;
    private final IdleMemory idleMemory;
    private final DeviceServices services;
    /** The devices of the streams that a run takes. */
    private final List<Device> devices;

    /** The constants that lie on devices; null where there are none. */
    private final DeviceWeights.@Nullable Held weights;

    PlanRuns(Plan plan, WorkerPool pool, int threads, int maxBindings, IdleMemory idleMemory, DeviceServices services) {
        this.plan = plan;
        this.isPlain = plan.isPlain();
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
        this.results = new RunResults(plan);
        this.edgeCopies = new EdgeCopies(plan);
        for (PlanStep step : plan.steps()) {
            if (!step.nested().isEmpty()) {
                var runs = new HashMap<String, PlanRuns>();
                step.nested()
                        .forEach((name, body) -> runs.put(
                                name, new PlanRuns(body.plan(), pool, threads, maxBindings, idleMemory, services)));
                nested.put(step, runs);
            }
        }
        waitsWithin = nested.values().stream()
                .flatMap(bodies -> bodies.values().stream())
                .anyMatch(body -> !body.isPlain || body.waitsWithin);
        idleMemory.add(this);
        weights = devices.isEmpty() ? null : weights();
    }

    /** Holds the constants that lie on devices. Where that fails, nested plans give theirs back. */
    private DeviceWeights.Held weights() {
        try {
            return services.weights().hold(constantsOnDevices(plan));
        } catch (RuntimeException | Error thrown) {
            nested.values().forEach(runs -> runs.values().forEach(PlanRuns::close));
            throw thrown;
        }
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

    @Override
    public Plan plan() {
        return plan;
    }

    @Override
    public int[] variableSlots() {
        return variableSlots;
    }

    int[] inputSlots() {
        return inputSlots;
    }

    RunResults results() {
        return results;
    }

    DeviceServices services() {
        return services;
    }

    DeviceStreams streams() {
        return services.streams();
    }

    @Override
    public DeviceArenas deviceMemory() {
        return services.memory();
    }

    @Override
    public EdgeCopies edgeCopies() {
        return edgeCopies;
    }

    /** Whether a step waits for devices while it runs: one with a nested graph that devices work on. */
    boolean waitsWithin() {
        return waitsWithin;
    }

    List<Device> devices() {
        return devices;
    }

    @Override
    public Map<Integer, DeviceRange> constants() {
        return weights == null ? Map.of() : weights.ranges();
    }

    @Override
    public void trim() {
        stretches.all().forEach(Stretch::trim);
        int now = trims.incrementAndGet();
        frames.trim(frame -> frame.trim(now));
        results.trim();
        nested.values().forEach(runs -> runs.values().forEach(PlanRuns::trim));
    }

    @Override
    public int giveUp() {
        int count = stretches.clear() + frames.clear() + results.clear();
        for (Map<String, PlanRuns> ofStep : nested.values()) {
            for (PlanRuns runs : ofStep.values()) {
                count += runs.giveUp();
            }
        }
        return count;
    }

    /** Frees what lies on devices. Runs under way free what they have when they end. */
    void close() {
        giveUp();
        if (weights != null) {
            weights.close();
        }
        nested.values().forEach(runs -> runs.values().forEach(PlanRuns::close));
    }

    @Override
    public long idleBytes() {
        return stretches.all().stream().mapToLong(Stretch::idleBytes).sum();
    }

    List<Stretch> stretches() {
        return stretches.all();
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
            System.getLogger(PlanRuns.class.getName())
                    .log(System.Logger.Level.DEBUG, "what a first run needs is left to it", failure);
        }
    }

    Frame takeFrame() {
        Frame frame = frames.take();
        return frame == null ? new Frame(this, pool, threads, trims.get()) : frame;
    }

    /** Ends the run in a frame, and keeps the frame for later runs. */
    void giveBack(Frame frame) {
        frame.reset();
        frame.trim(trims.get());
        frames.give(frame);
    }

    /** Runs in a frame, and takes the results out of it. */
    <T> T run(Frame frame, boolean isNested, Function<Frame, T> taken) {
        if (!isPlain) {
            return runOnDevices(frame, isNested, taken);
        }
        bindAndRun(frame);
        return taken.apply(frame);
    }

    /** Runs in a frame, and waits for the end on this thread, which does the tasks of the run meanwhile. */
    private <T> T runOnDevices(Frame frame, boolean isNested, Function<Frame, T> taken) {
        var tasks = new RunTasks(services.threads());
        var run = new DeviceRun<>(this, frame, tasks, taken, () -> {});
        if (isNested) {
            run.startWithin(services.streams());
        } else {
            run.start(services.streams());
        }
        tasks.workUntil(run::isOver);
        return run.resultOrFailure();
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

    @Override
    public List<Datum> runNested(Frame outer, PlanStep step, String attribute, List<Datum> inputs) {
        NestedPlan body = step.nested().get(attribute);
        PlanRuns runs = nested.getOrDefault(step, Map.of()).get(attribute);
        if (body == null || runs == null) {
            throw EngineException.invalidGraph("there is no nested graph '" + attribute + "'");
        }
        return runs.runInside(outer, body.captures(), inputs);
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
                new PlanRuns(inParts, pool, threads, stretches.limit(), idleMemory, services), parts.outputs());
    }

    @Override
    public List<Datum> runInside(Frame outer, List<NestedPlan.Capture> captures, List<Datum> inputs) {
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
            return run(frame, true, ended -> results.ofNested(ended, captures));
        } finally {
            giveBack(frame);
        }
    }

    private static void putNested(Frame frame, int slot, Datum value) {
        if (value instanceof Tensor tensor) {
            frame.lend(slot, tensor);
        } else {
            frame.put(slot, value);
        }
    }
}
