package dev.millrace.scheduler.bind;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.device.MemoryPlace;
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
 * be bound before the stretch has run. Immutable but for the pools of output memory.
 */
public final class Binding {
    /** A value whose type and shape, and content where {@code content} is set, the binding depends on. */
    public record Key(
            int slot,
            @Nullable ElementType type,
            @Nullable Shape shape,
            @Nullable Tensor content) {}

    /** A tensor that the stretch computes or passes on. */
    public record Made(int slot, ElementType type, Shape shape) {}

    /** The memory of the stretch at one place. */
    public record Block(MemoryPlace place, long bytes) {
        /** The number of the block of a place. */
        public static int indexOf(MemoryPlace place, List<Block> blocks) {
            for (int i = 0; i < blocks.size(); i++) {
                if (blocks.get(i).place.equals(place)) {
                    return i;
                }
            }
            throw new IllegalArgumentException("no block at " + place);
        }
    }

    /** A value in a memory block of the stretch, which is the {@code block}th. */
    public record InBlock(int slot, Buffer buffer, long bytes, int block) {}

    /**
     * A value that is an output of the plan, in memory that becomes the caller's.
     *
     * @param donor the input whose memory a run may compute it in, if the caller donates it; -1 if there is none
     */
    public record AsOutput(int slot, int output, long bytes, SlotPool<MemorySegment> pool, int donor) {}

    /** A value that shares the memory of another. */
    public record AsAlias(int slot, int root) {}

    /** A value that is the same in every run. */
    public record Folded(int slot, Tensor value) {}

    public final int from;
    public final int to;
    final List<Key> keys;
    public final List<BoundStep> steps;
    public final StreamPrograms programs;
    /** The memory of a run, that of the host first. */
    public final List<Block> blocks;
    /** The bytes of the block of the host. */
    public final long blockBytes;
    /** The bytes that a run needs: its block, and the largest memory of one of its launches. */
    public final long runBytes;

    public final Made[] made;
    public final InBlock[] inBlock;
    public final AsOutput[] asOutput;
    public final AsAlias[] aliases;
    public final Folded[] folded;
    private final Key[] keyArray;

    public Binding(
            int from,
            int to,
            List<Key> keys,
            List<BoundStep> steps,
            StreamPrograms programs,
            List<Block> blocks,
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
        this.programs = programs;
        this.blocks = blocks;
        this.blockBytes = blocks.getFirst().bytes();
        this.runBytes = blockBytes
                + steps.stream().mapToLong(BoundStep::memoryBytes).max().orElse(0);
        this.made = made.toArray(new Made[0]);
        this.inBlock = inBlock.toArray(new InBlock[0]);
        this.asOutput = asOutput.toArray(new AsOutput[0]);
        this.aliases = aliases.toArray(new AsAlias[0]);
        this.folded = folded.toArray(new Folded[0]);
    }

    /** Whether the values of a run match the keys of this binding. */
    public boolean fits(LiveValues live) {
        for (Key key : keyArray) {
            if (live.type(key.slot) != key.type) {
                return false;
            }
            if (!Objects.equals(live.shape(key.slot), key.shape)) {
                return false;
            }
            if (key.content != null && !live.holds(key.slot, key.content)) {
                return false;
            }
        }
        return true;
    }

    /** Returns the keys of this binding as text for people. */
    public String describeKeys(Plan plan) {
        return keys.stream()
                .map(key -> plan.slots().get(key.slot).name() + (key.type == null ? "" : " " + key.type + key.shape))
                .collect(Collectors.joining(", "));
    }

    /** Prepares the first run of each launch. */
    public void prewarm(Runnable checkCancelled) {
        for (BoundStep step : steps) {
            step.prewarm(checkCancelled);
        }
    }

    /** Releases the memory that no run has needed since the last call. */
    public void trim() {
        for (AsOutput output : asOutput) {
            output.pool.trim(memory -> {});
        }
        for (BoundStep step : steps) {
            step.trim();
        }
    }
}
