package dev.millrace.providers.testkit.device;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.scheduler.device.AllocatorStatistics;
import dev.millrace.scheduler.device.Device;
import dev.millrace.scheduler.device.DeviceAllocator;
import dev.millrace.scheduler.device.DeviceBuffer;
import dev.millrace.scheduler.device.DeviceStream;
import dev.millrace.scheduler.device.MemoryKind;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An allocator of a simulated device, as unkind as the contract allows. Fresh memory is NaN. Freed memory is poisoned in
 * the order of its stream, and the memory that was freed last is used again first: at once for the stream that it was
 * freed on, and for others once that stream has come to the release.
 */
final class SimulatedAllocator implements DeviceAllocator {
    private final Simulation simulation;
    private final DeviceState state;
    private final Device device;
    private final MemoryKind kind;
    private final List<FreeBlock> free = new ArrayList<>();
    private final Map<SimulatedBuffer, Block> used = new IdentityHashMap<>();
    private long limit = Long.MAX_VALUE;
    private long allocations;
    private long usedBytes;
    private long heldBytes;
    private long peakBytes;
    private long extensions;
    private long shrinkages;

    /** Memory of the device, which buffers use in turns. */
    private record Block(MemorySegment memory) {}

    /** A block that is free for a stream if there is one, and for all once it has been released. */
    private static final class FreeBlock {
        private final Block block;
        private final @Nullable DeviceStream stream;
        private boolean isReleased;

        FreeBlock(Block block, @Nullable DeviceStream stream) {
            this.block = block;
            this.stream = stream;
        }

        boolean fits(long bytes, DeviceStream user) {
            return block.memory.byteSize() >= bytes && (isReleased || stream == user);
        }
    }

    SimulatedAllocator(Simulation simulation, DeviceState state, Device device, MemoryKind kind) {
        this.simulation = simulation;
        this.state = state;
        this.device = device;
        this.kind = kind;
    }

    @Override
    public Device device() {
        return device;
    }

    @Override
    public MemoryKind kind() {
        return kind;
    }

    /** Bounds the bytes that the allocator holds. */
    void limit(long bytes) {
        limit = bytes;
    }

    @Override
    public DeviceBuffer allocate(long bytes, DeviceStream stream) {
        SimulatedStream user = own(stream);
        state.checkNotLost();
        if (state.faults().isOutOfMemory(state.nextAllocation(), simulation.random())) {
            throw outOfMemory(bytes);
        }
        FreeBlock reused = takeFree(bytes, stream);
        Block block = reused == null ? extend(bytes) : reused.block;
        String name = state.name() + (kind == MemoryKind.DEFAULT ? "" : " " + kind) + " #" + allocations++;
        var buffer = new SimulatedBuffer(device, kind, name, block.memory.asSlice(0, bytes));
        used.put(buffer, block);
        usedBytes += bytes;
        peakBytes = Math.max(peakBytes, usedBytes);
        DeviceOperand operand = DeviceOperand.of(buffer);
        user.mark((access, clock) -> {
            buffer.allocate();
            simulation
                    .checker()
                    .allocate(operand, CommandQueue.did(access, "allocates", operand), !buffer.isHostVisible());
        });
        return buffer;
    }

    private SimulatedStream own(DeviceStream stream) {
        if (!(stream instanceof SimulatedStream simulated) || stream.device() != device) {
            throw new IllegalArgumentException("memory of " + device + " on " + stream);
        }
        return simulated;
    }

    private @Nullable FreeBlock takeFree(long bytes, DeviceStream stream) {
        for (FreeBlock each : free.reversed()) {
            if (each.fits(bytes, stream)) {
                free.remove(each);
                return each;
            }
        }
        return null;
    }

    private Block extend(long bytes) {
        if (heldBytes + bytes > limit) {
            shrink(Math.max(0, limit - bytes));
        }
        if (heldBytes + bytes > limit) {
            throw outOfMemory(bytes);
        }
        var block = new Block(Arena.ofAuto().allocate(Math.max(1, bytes), 64).fill(DeviceOperand.POISON));
        heldBytes += block.memory.byteSize();
        extensions++;
        return block;
    }

    private EngineException outOfMemory(long bytes) {
        String text = device + " has no " + bytes + " bytes of " + kind + " memory: " + heldBytes + " are held";
        return new EngineException(Status.EP_FAIL, text, new OutOfMemoryError(text));
    }

    @Override
    public void free(DeviceBuffer buffer, DeviceStream stream) {
        SimulatedStream user = own(stream);
        if (!(buffer instanceof SimulatedBuffer simulated)) {
            throw new IllegalArgumentException(buffer + " is no buffer of " + device);
        }
        Block block = used.remove(simulated);
        if (block == null) {
            simulation.error(
                    simulated.isFreed() ? "freed twice: " + buffer : "freed by a foreign allocator: " + buffer);
            return;
        }
        simulated.free();
        usedBytes -= buffer.byteSize();
        // the host uses memory that it sees without waiting for a stream
        var freed = new FreeBlock(block, simulated.isHostVisible() ? null : stream);
        DeviceOperand operand = DeviceOperand.of(simulated);
        user.mark((access, clock) -> {
            simulation.checker().release(operand, CommandQueue.did(access, "frees", operand), clock);
            simulated.release();
            operand.poison();
            freed.isReleased = true;
        });
        free.add(freed);
    }

    @Override
    public AllocatorStatistics statistics() {
        return new AllocatorStatistics(allocations, usedBytes, heldBytes, peakBytes, extensions, shrinkages);
    }

    @Override
    public long shrink(long keepBytes) {
        long before = heldBytes;
        for (FreeBlock each : List.copyOf(free)) {
            if (heldBytes > keepBytes && each.isReleased) {
                free.remove(each);
                heldBytes -= each.block.memory.byteSize();
                simulation.checker().forget(DeviceOperand.ofHost(each.block.memory));
            }
        }
        if (heldBytes < before) {
            shrinkages++;
        }
        return before - heldBytes;
    }

    /** The buffers that nobody has freed. */
    List<String> open() {
        return used.keySet().stream().map(SimulatedBuffer::toString).sorted().toList();
    }
}
