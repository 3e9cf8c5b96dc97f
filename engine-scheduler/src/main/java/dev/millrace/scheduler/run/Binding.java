package dev.millrace.scheduler.run;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.device.Device;
import dev.millrace.scheduler.plan.MemoryPlanner.Buffer;
import dev.millrace.scheduler.plan.Plan;
import dev.millrace.scheduler.plan.SlotPool;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One stretch of a plan, bound to one tuple of shapes. The stretch goes from its first step up to the first that cannot
 * be bound before the stretch has run. Immutable but for its pools.
 */
final class Binding {
    /** A value whose type and shape, and content where {@code content} is set, the binding depends on. */
    record Key(
            int slot,
            @Nullable ElementType type,
            @Nullable Shape shape,
            @Nullable Tensor content) {}

    /** A tensor that the stretch computes or passes on. */
    record Made(int slot, ElementType type, Shape shape) {}

    /** A value in the stretch's memory block. */
    record InBlock(int slot, Buffer buffer, long bytes) {}

    /**
     * A value that is an output of the plan, in memory that becomes the caller's.
     *
     * @param donor the input whose memory a run may compute it in, if the caller donates it; -1 if there is none
     */
    record AsOutput(int slot, int output, long bytes, SlotPool<MemorySegment> pool, int donor) {}

    /** A value that shares the memory of another. */
    record AsAlias(int slot, int root) {}

    /** A value that is the same in every run. */
    record Folded(int slot, Tensor value) {}

    final int from;
    final int to;
    final List<Key> keys;
    final List<BoundStep> steps;
    final StreamPrograms programs;
    final long blockBytes;
    /** The bytes that a run needs: its block, and the largest memory of one of its launches. */
    final long runBytes;

    final Made[] made;
    final InBlock[] inBlock;
    final AsOutput[] asOutput;
    final AsAlias[] aliases;
    final Folded[] folded;
    final SlotPool<StretchState> states = new SlotPool<>(256);
    private final Key[] keyArray;
    volatile long lastUsed;

    Binding(
            int from,
            int to,
            List<Key> keys,
            List<BoundStep> steps,
            List<Device> streams,
            long blockBytes,
            List<Made> made,
            List<InBlock> inBlock,
            List<AsOutput> asOutput,
            List<AsAlias> aliases,
            List<Folded> folded) {
        this.from = from;
        this.to = to;
        this.keys = keys;
        this.keyArray = keys.toArray(new Key[0]);
        this.steps = steps;
        this.programs = StreamPrograms.of(steps, streams);
        this.blockBytes = blockBytes;
        this.runBytes = blockBytes
                + steps.stream().mapToLong(BoundStep::memoryBytes).max().orElse(0);
        this.made = made.toArray(new Made[0]);
        this.inBlock = inBlock.toArray(new InBlock[0]);
        this.asOutput = asOutput.toArray(new AsOutput[0]);
        this.aliases = aliases.toArray(new AsAlias[0]);
        this.folded = folded.toArray(new Folded[0]);
    }

    /** Whether the frame's values match the keys of this binding. */
    boolean fits(Frame frame) {
        for (Key key : keyArray) {
            if (frame.types[key.slot] != key.type) {
                return false;
            }
            if (!Objects.equals(frame.shapes[key.slot], key.shape)) {
                return false;
            }
            if (key.content != null && !frame.holds(key.slot, key.content)) {
                return false;
            }
        }
        return true;
    }

    /** Returns the keys of this binding as text for people. */
    String describeKeys(Plan plan) {
        return keys.stream()
                .map(key -> plan.slots().get(key.slot).name() + (key.type == null ? "" : " " + key.type + key.shape))
                .collect(Collectors.joining(", "));
    }

    /** Prepares the first run of each launch. */
    void prewarm(Runnable checkCancelled) {
        for (BoundStep step : steps) {
            step.prewarm(checkCancelled);
        }
    }

    StretchState takeState() {
        StretchState state = states.take();
        return state == null ? new StretchState(this) : state;
    }

    /** The bytes of its states that no run uses right now. */
    long idleBytes() {
        return runBytes * states.count();
    }

    /** Releases the memory that no run has needed since the last call. */
    void trim() {
        states.trim(state -> {});
        for (AsOutput output : asOutput) {
            output.pool.trim(memory -> {});
        }
        for (BoundStep step : steps) {
            step.trim();
        }
    }

    /** Sets in a frame the types, shapes, folded values and aliases of the stretch, which are known before it runs. */
    void publishTypes(Frame frame) {
        for (Made tensor : made) {
            frame.types[tensor.slot] = tensor.type;
            frame.shapes[tensor.slot] = tensor.shape;
        }
        for (Folded value : folded) {
            frame.put(value.slot, value.value);
        }
        for (AsAlias alias : aliases) {
            frame.alias(alias.slot, alias.root);
        }
    }

    /** Sets all slots of the frame that the stretch's launches access. */
    void enter(Frame frame, StretchState state) {
        for (Made tensor : made) {
            frame.types[tensor.slot] = tensor.type;
            frame.shapes[tensor.slot] = tensor.shape;
            if (tensor.type == ElementType.STRING) {
                frame.data[tensor.slot] = frame.strings(tensor.slot, tensor.shape);
            }
        }
        for (int i = 0; i < inBlock.length; i++) {
            frame.segments[inBlock[i].slot] = state.views[i];
        }
        for (AsOutput output : asOutput) {
            frame.segments[output.slot] = frame.claimOutput(output);
        }
        for (Folded value : folded) {
            frame.put(value.slot, value.value);
        }
        for (AsAlias alias : aliases) {
            frame.alias(alias.slot, alias.root);
        }
    }
}
