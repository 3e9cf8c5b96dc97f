package dev.millrace.scheduler.run;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.bind.Binding;
import dev.millrace.scheduler.bind.BoundStep;
import dev.millrace.scheduler.device.Copy;
import dev.millrace.scheduler.device.DeviceRange;
import dev.millrace.scheduler.device.DeviceStream;
import dev.millrace.scheduler.device.DeviceTensor;
import dev.millrace.scheduler.device.MemoryPlace;
import dev.millrace.scheduler.plan.Plan;
import dev.millrace.scheduler.plan.PlanStep;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The values of one run that do not pass through the host: inputs that the caller gives on a device, and outputs that the
 * caller leaves there. The run works in the memory of the caller's tensor in place of the copy that its plan makes, unless
 * a step would write over it. An output is computed in memory of its own, which becomes the caller's.
 */
final class DeviceExchange {
    private final Plan plan;
    private final EdgeCopies copies;
    private final DeviceValues values;
    private final DeviceArenas arenas;

    /** The tensors that were given on a device, by the slots of inputs. */
    private final Map<Integer, Tensor> given = new HashMap<>();
    /** The steps that this run leaves out. */
    private final Set<PlanStep> left = new HashSet<>();

    private final boolean[] stays;
    /** The memory of outputs that stay on a device. */
    private final @Nullable DeviceRange[] memory;
    /** The donated tensors that outputs are computed in. */
    private final @Nullable Tensor[] donors;

    DeviceExchange(Plan plan, EdgeCopies copies, DeviceValues values, DeviceArenas arenas) {
        this.plan = plan;
        this.copies = copies;
        this.values = values;
        this.arenas = arenas;
        stays = new boolean[plan.outputs().size()];
        memory = new DeviceRange[stays.length];
        donors = new Tensor[stays.length];
    }

    /** Takes an input where it lies. Returns false where the run needs it on the host. */
    boolean takes(int slot, Tensor tensor) {
        DeviceRange range = DeviceTensor.rangeOf(tensor);
        EdgeCopies.Upload upload = copies.upload(slot);
        if (range == null || upload == null || !upload.place().equals(placeOf(range))) {
            return false;
        }
        given.put(slot, tensor);
        values.set(slot, range);
        return true;
    }

    private static MemoryPlace placeOf(DeviceRange range) {
        return new MemoryPlace(range.buffer().device(), range.buffer().kind());
    }

    /** Replaces memory of a stretch by that of the caller's tensors, where the stretch is entered. */
    void enter(Binding binding, InputSource inputs) {
        if (!given.isEmpty()) {
            given.forEach((slot, tensor) -> enter(binding, slot, tensor, inputs));
        }
        for (int i = 0; i < stays.length; i++) {
            EdgeCopies.Download download = copies.download(i);
            if (download != null && inputs.staysOnDevice(plan.outputNames().get(i))) {
                enter(binding, i, rootOf(download.onDevice(), binding));
            }
        }
    }

    private void enter(Binding binding, int slot, Tensor tensor, InputSource inputs) {
        EdgeCopies.Upload upload = Objects.requireNonNull(copies.upload(slot));
        List<Binding.InBlock> shared = sharing(binding, upload.onDevice());
        if (shared.isEmpty()) {
            return;
        }
        boolean isDonated = inputs.donated(plan.slots().get(slot).name()) != null;
        int output = outputIn(binding, shared, inputs);
        if (shared.size() > 1 && (!isDonated || output >= 0 && !fits(tensor, output, binding, shared))) {
            return;
        }
        if (shared.size() > 1 && output >= 0) {
            donors[output] = inputs.donated(plan.slots().get(slot).name());
            stays[output] = true;
        }
        if (shared.size() > 1) {
            DeviceTensor.changes(tensor);
        }
        DeviceRange range = Objects.requireNonNull(DeviceTensor.rangeOf(tensor));
        shared.forEach(value -> values.set(value.slot(), range.slice(0, value.bytes())));
        left.add(upload.step());
    }

    /** The output that stays on a device and is computed in shared memory; -1 where there is none. */
    private int outputIn(Binding binding, List<Binding.InBlock> shared, InputSource inputs) {
        for (int i = 0; i < stays.length; i++) {
            EdgeCopies.Download download = copies.download(i);
            if (download != null && inputs.staysOnDevice(plan.outputNames().get(i))) {
                int root = rootOf(download.onDevice(), binding);
                if (shared.stream().anyMatch(value -> value.slot() == root)) {
                    return i;
                }
            }
        }
        return -1;
    }

    /** Whether an output can be a tensor itself: it has its type and shape, and is the last value in shared memory. */
    private boolean fits(Tensor tensor, int output, Binding binding, List<Binding.InBlock> shared) {
        int slot = Objects.requireNonNull(copies.download(output)).onDevice();
        return shared.getLast().slot() == rootOf(slot, binding)
                && Arrays.stream(binding.made)
                        .anyMatch(made -> made.slot() == slot
                                && made.type() == tensor.type()
                                && made.shape().equals(tensor.shape()));
    }

    /** Gives an output memory of its own where this stretch computes it. */
    private void enter(Binding binding, int output, int root) {
        List<Binding.InBlock> shared = sharing(binding, root);
        // what is written over it later would be written over the output
        boolean isTaken = stays[output]
                || !shared.isEmpty() && shared.getLast().slot() != root
                || shared.stream().anyMatch(value -> isReplaced(values.range(value.slot())));
        if (shared.isEmpty() || isTaken) {
            stays[output] |= values.range(root) != null;
            return;
        }
        DeviceRange before = Objects.requireNonNull(values.range(root));
        long bytes = shared.stream().mapToLong(Binding.InBlock::bytes).max().orElse(0);
        DeviceRange own = arenas.allocate(placeOf(before), bytes);
        memory[output] = own;
        stays[output] = true;
        shared.forEach(value -> values.set(value.slot(), own.slice(0, value.bytes())));
    }

    /** Whether a value lies in memory of the caller already. */
    private boolean isReplaced(@Nullable DeviceRange range) {
        return range != null
                && Stream.concat(
                                Arrays.stream(memory).filter(Objects::nonNull),
                                given.values().stream().map(DeviceTensor::rangeOf))
                        .anyMatch(taken -> taken != null && taken.overlaps(range));
    }

    /**
     * The values on a device that lie in the same memory as a slot, itself included, in the order in which they are
     * written; none where it lies elsewhere.
     */
    private static List<Binding.InBlock> sharing(Binding binding, int slot) {
        Object buffer = null;
        for (Binding.InBlock value : binding.inBlock) {
            if (value.slot() == slot
                    && !binding.blocks.get(value.block()).place().isHost()) {
                buffer = value.buffer();
            }
        }
        var sharing = new ArrayList<Binding.InBlock>();
        if (buffer != null) {
            for (Binding.InBlock value : binding.inBlock) {
                if (value.buffer() == buffer) {
                    sharing.add(value);
                }
            }
        }
        return sharing;
    }

    private static int rootOf(int slot, Binding binding) {
        for (Binding.AsAlias alias : binding.aliases) {
            if (alias.slot() == slot) {
                return alias.root();
            }
        }
        return slot;
    }

    boolean stays(int output) {
        return stays[output];
    }

    /** Whether a copy of the plan is left out in this run, or done in another way. */
    boolean isReplaced(BoundStep copy) {
        return left.contains(copy.step()) || given.containsKey(copy.inputs[0]) || outputThatStays(copy) >= 0;
    }

    /** The output that a copy would bring to the host, though it stays; -1 for other copies. */
    private int outputThatStays(BoundStep copy) {
        for (int i = 0; i < stays.length; i++) {
            EdgeCopies.Download download = copies.download(i);
            if (stays[i] && download != null && download.step() == copy.step()) {
                return i;
            }
        }
        return -1;
    }

    /** Does what takes the place of a copy that is replaced. */
    void replace(BoundStep copy, DeviceStream stream) {
        if (left.contains(copy.step())) {
            return;
        }
        DeviceRange from = Objects.requireNonNull(values.range(copy.inputs[0]));
        int output = outputThatStays(copy);
        if (output >= 0) {
            leave(output, from, stream);
        } else {
            transfer(from, Objects.requireNonNull(values.range(copy.outputs[0])), stream);
        }
    }

    /** Leaves an output on its device: where it is, if that is the caller's, and else in a copy. */
    private void leave(int output, DeviceRange range, DeviceStream stream) {
        if (donors[output] == null && memory[output] == null) {
            DeviceRange copy = arenas.allocate(placeOf(range).device().place(), range.bytes());
            memory[output] = copy;
            transfer(range, copy, stream);
        }
    }

    private static void transfer(DeviceRange from, DeviceRange to, DeviceStream stream) {
        if (from.bytes() > 0) {
            stream.device().transfer().copy(List.of(new Copy.Transfer(from, to)), stream);
        }
    }

    /** Passes an output that stays on a device on to the caller; null where it does not. */
    @Nullable
    Tensor detach(int output, ElementType type, Shape shape) {
        Tensor donor = donors[output];
        if (donor != null) {
            return donor;
        }
        DeviceRange own = memory[output];
        if (own == null) {
            return null;
        }
        memory[output] = null;
        DeviceRange content = own.slice(0, type.bytes(shape.elements()));
        return DeviceTensor.of(type, shape, content, part -> arenas.free(own));
    }

    /** Ends the run. */
    void reset() {
        given.clear();
        left.clear();
        Arrays.fill(stays, false);
        Arrays.fill(donors, null);
        for (int i = 0; i < memory.length; i++) {
            DeviceRange unused = memory[i];
            if (unused != null) {
                memory[i] = null;
                arenas.free(unused);
            }
        }
    }
}
