package dev.millrace.scheduler.run;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.scheduler.bind.BindServices;
import dev.millrace.scheduler.bind.Binding;
import dev.millrace.scheduler.bind.BoundStep;
import dev.millrace.scheduler.bind.LiveValues;
import dev.millrace.scheduler.event.RunListener;
import dev.millrace.scheduler.plan.Plan;
import dev.millrace.scheduler.plan.Slot;
import dev.millrace.scheduler.pool.Scratch;
import dev.millrace.scheduler.pool.WorkerPool;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The state of one run: the current values of all slots of the plan. A tensor of numbers is in {@link #segments}, all
 * else in {@link #data}; constants are set from the start. Frames are pooled and belong to one run at a time.
 */
final class Frame implements LiveValues, BindServices {
    private static final Cancellation NEVER = new Cancellation();

    final RunOwner runner;
    final Plan plan;
    final WorkerPool pool;
    final int threads;
    final @Nullable MemorySegment[] segments;
    final @Nullable Datum[] data;
    final @Nullable ElementType[] types;
    final @Nullable Shape[] shapes;
    /** The values that lie on devices; null where the plan runs on the host alone. */
    final @Nullable DeviceValues onDevices;

    /** The values that do not pass through the host; null where the plan runs on the host alone. */
    final @Nullable DeviceExchange exchange;

    final StreamContext[] lanes;
    final List<StretchState> states = new ArrayList<>();
    /** The caller's tensors whose memory this run holds, so that it is not reused. */
    private final List<Tensor> holds = new ArrayList<>();

    Cancellation cancellation = NEVER;
    /** Whether its run is nested in another one, which reads its results uncopied. */
    boolean isNested;
    /** The number of the last trim. */
    private int trimmed;

    @Nullable
    RunListener listener;

    /** The source of the inputs, which says which of them are donated; null in a nested run. */
    @Nullable
    InputSource source;

    /** The memory of the outputs on the host. */
    private final OutputMemory outputs;

    /** @param trims the number of trims so far, which do not concern this frame */
    Frame(RunOwner runner, WorkerPool pool, int threads, int trims) {
        this.runner = runner;
        this.plan = runner.plan();
        this.pool = pool;
        this.threads = threads;
        this.trimmed = trims;
        int slots = plan.slots().size();
        segments = new MemorySegment[slots];
        data = new Datum[slots];
        types = new ElementType[slots];
        shapes = new Shape[slots];
        outputs = new OutputMemory(plan, segments, shapes);
        onDevices = plan.isPlain() ? null : new DeviceValues(plan, runner.constants());
        exchange = onDevices == null
                ? null
                : new DeviceExchange(plan, runner.edgeCopies(), onDevices, runner.deviceMemory());
        lanes = new StreamContext[plan.streams().size()];
        for (int i = 0; i < lanes.length; i++) {
            lanes[i] = new StreamContext(this);
        }
        for (Slot slot : plan.slots()) {
            if (slot.constant() != null && slot.place().isHost()) {
                put(slot.index(), slot.constant());
            } else if (slot.constant() != null) {
                types[slot.index()] = slot.constant().type();
                shapes[slot.index()] = slot.constant().shape();
            }
        }
    }

    /**
     * Enters a stretch: sets all slots that its launches access.
     *
     * @return the memory of the stretch, which is this run's until it ends
     */
    StretchState enter(Stretch stretch) {
        Binding binding = stretch.binding;
        StretchState state = stretch.takeState(this);
        states.add(state);
        for (Binding.Made tensor : binding.made) {
            types[tensor.slot()] = tensor.type();
            shapes[tensor.slot()] = tensor.shape();
            if (tensor.type() == ElementType.STRING) {
                data[tensor.slot()] = strings(tensor.slot(), tensor.shape());
            }
        }
        for (int i = 0; i < binding.inBlock.length; i++) {
            segments[binding.inBlock[i].slot()] = state.views[i];
        }
        if (onDevices != null && state.onDevices != null) {
            onDevices.enter(binding, state.onDevices, segments);
        }
        InputSource inputs = source;
        if (exchange != null && inputs != null) {
            exchange.enter(binding, inputs);
        }
        for (Binding.AsOutput output : binding.asOutput) {
            if (exchange == null || !exchange.stays(output.output())) {
                segments[output.slot()] = outputs.claim(output, inputs);
            }
        }
        putKnown(binding);
        return state;
    }

    /** Sets the content of a slot that lies on a device, as the host has it too now. */
    void putContent(int slot, Tensor content) {
        data[slot] = content;
        segments[slot] = content.segment();
    }

    /** Whether a step is given to a device, which does it later. */
    boolean isGivenToDevice(BoundStep step) {
        return onDevices != null && DeviceMemory.isOnDevice(plan, step);
    }

    @Override
    public boolean isOnDevice(int slot) {
        return onDevices != null && onDevices.range(slot) != null && segments[slot] == null;
    }

    /** Runs the steps of a stretch one after another, on this thread. */
    void runPlain(StretchState state) {
        StreamContext lane = lanes[0];
        BoundStep[] steps = state.steps;
        for (int i = 0; i < steps.length; i++) {
            cancellation.check();
            lane.run(steps[i], i, state);
        }
    }

    /** Sets the types, shapes, folded values and aliases of a stretch, which are known before it runs. */
    void expect(Binding binding) {
        for (Binding.Made tensor : binding.made) {
            types[tensor.slot()] = tensor.type();
            shapes[tensor.slot()] = tensor.shape();
        }
        putKnown(binding);
    }

    private void putKnown(Binding binding) {
        for (Binding.Folded value : binding.folded) {
            put(value.slot(), value.value());
        }
        for (Binding.AsAlias alias : binding.aliases) {
            alias(alias.slot(), alias.root());
        }
    }

    @Override
    public @Nullable ElementType type(int slot) {
        return types[slot];
    }

    @Override
    public @Nullable Shape shape(int slot) {
        return shapes[slot];
    }

    @Override
    public void checkCancelled() {
        cancellation.check();
    }

    @Override
    public int parallelism() {
        return threads;
    }

    @Override
    public Scratch scratch() {
        return lanes[0].scratch();
    }

    /** Makes {@code value} the content of a slot. */
    void put(int slot, Datum value) {
        data[slot] = value;
        if (value instanceof Tensor tensor) {
            types[slot] = tensor.type();
            shapes[slot] = tensor.shape();
            segments[slot] = tensor.type() == ElementType.STRING ? null : tensor.segment();
        } else {
            types[slot] = null;
            shapes[slot] = null;
            segments[slot] = null;
        }
    }

    /** Sets the type and shape that the content of a slot will have. */
    void expect(int slot, ValueType.TensorType type) {
        types[slot] = type.element();
        shapes[slot] = type.concreteShape();
    }

    /**
     * Sets a slot to a value of the enclosing run, whose memory stays valid until this run has ended. A step that
     * passes it on passes a copy.
     */
    void lend(int slot, Tensor value) {
        putInput(slot, value);
        data[slot] = value.type() == ElementType.STRING ? value : null;
    }

    /** Sets a slot to a datum of the caller and holds it, so that closing it meanwhile does not affect this run. */
    void putInput(int slot, Datum datum) {
        Datum held = Data.held(datum, holds);
        if (exchange != null && held instanceof Tensor tensor && exchange.takes(slot, tensor)) {
            types[slot] = tensor.type();
            shapes[slot] = tensor.shape();
        } else {
            put(slot, held);
        }
    }

    /** Makes a slot an alias of another one's memory; its type and shape are set already. */
    private void alias(int slot, int root) {
        segments[slot] = segments[root];
        if (onDevices != null) {
            onDevices.alias(slot, root);
        }
        Shape shape = shapes[slot];
        if (types[slot] == ElementType.STRING && data[root] instanceof Tensor tensor && shape != null) {
            data[slot] = tensor.reshaped(shape);
        }
    }

    @Override
    public @Nullable Datum datum(int slot) {
        Datum known = data[slot];
        if (known != null) {
            return known;
        }
        ElementType type = types[slot];
        Shape shape = shapes[slot];
        MemorySegment segment = segments[slot];
        return type == null || shape == null || segment == null ? null : Tensor.wrap(type, shape, segment);
    }

    String[] strings(int slot) {
        if (data[slot] instanceof Tensor tensor) {
            return tensor.strings();
        }
        throw EngineException.invalidArgument("'" + plan.slots().get(slot).name() + "' holds no strings");
    }

    /** Allocates a string tensor for a slot. */
    Tensor strings(int slot, Shape shape) {
        try {
            return Tensor.allocate(ElementType.STRING, shape);
        } catch (OutOfMemoryError e) {
            throw new EngineException(
                    Status.FAIL,
                    "no memory for " + shape.elements() + " strings of '"
                            + plan.slots().get(slot).name() + "'; raise -Xmx, or run smaller inputs",
                    e);
        }
    }

    @Override
    public boolean holds(int slot, Tensor content) {
        if (content.type() == ElementType.STRING) {
            return Arrays.equals(strings(slot), content.strings());
        }
        MemorySegment segment = segments[slot];
        return segment != null && segment.mismatch(content.segment()) == -1;
    }

    /** Passes result {@code index} on to the caller; null where it is in memory that stays the engine's. */
    @Nullable
    Tensor detachOutput(int index) {
        int slot = plan.outputs().get(index);
        ElementType type = types[slot];
        Shape shape = shapes[slot];
        if (exchange != null && exchange.stays(index) && type != null && shape != null) {
            return exchange.detach(index, type, shape);
        }
        return outputs.detach(index, type, shape);
    }

    /** Passes the memory of a dynamic step that holds a result on to the caller; null where the result is elsewhere. */
    @Nullable
    Tensor handOver(Tensor result) {
        for (StreamContext lane : lanes) {
            Tensor handedOver = lane.handOver(result);
            if (handedOver != null) {
                return handedOver;
            }
        }
        return null;
    }

    /**
     * Releases arrays that no run has needed since the trim before. Trims that a run missed count as one.
     *
     * @param number the number of this trim; nothing happens where the frame was trimmed with it or a later one
     */
    void trim(int number) {
        if (trimmed - number >= 0) {
            return;
        }
        trimmed = number;
        for (StreamContext lane : lanes) {
            lane.trim();
        }
    }

    /** Clears everything that belongs to the run that has ended, and returns its memory to the pools. */
    void reset() {
        for (int i = 0; i < states.size(); i++) {
            StretchState state = states.get(i);
            state.stretch.give(state);
        }
        states.clear();
        outputs.reset();
        source = null;
        for (int slot : runner.variableSlots()) {
            segments[slot] = null;
            data[slot] = null;
            types[slot] = null;
            shapes[slot] = null;
        }
        if (onDevices != null) {
            onDevices.reset(runner.variableSlots());
        }
        if (exchange != null) {
            exchange.reset();
        }
        for (StreamContext lane : lanes) {
            lane.reset();
        }
        cancellation = NEVER;
        listener = null;
        release();
    }

    /** The listener if it wants to be told of steps, which are timed for it, else null. */
    @Nullable
    RunListener listenerOfSteps() {
        RunListener heard = listener;
        return heard == null || !heard.hearsSteps() ? null : heard;
    }

    private void release() {
        for (int i = 0; i < holds.size(); i++) {
            holds.get(i).release();
        }
        holds.clear();
    }
}
