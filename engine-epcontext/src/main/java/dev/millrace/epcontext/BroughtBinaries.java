package dev.millrace.epcontext;

import dev.millrace.epcontext.binary.ContextTables;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.tensor.OtherThread;
import dev.millrace.graph.tensor.OwnMemory;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;

/** The context binaries that a {@link BinarySource} has provided for one session, each loaded once. */
final class BroughtBinaries {
    private final BinarySource source;
    private final Map<String, ContextBinary> byName = new HashMap<>();

    BroughtBinaries(BinarySource source) {
        this.source = source;
    }

    ContextBinary open(String name) {
        return byName.computeIfAbsent(name, _ -> ContextBinary.of(memory(name), "'" + name + "'"));
    }

    /** Reads a binary of any format. */
    MemorySegment memory(String name) {
        return usable(read(name));
    }

    private MemorySegment read(String name) {
        MemorySegment memory;
        try {
            memory = source.read(name);
        } catch (IOException | RuntimeException e) {
            throw new EngineException(
                    Status.FAIL,
                    "Caught exception while asking the user's source for context binary '" + name + "': "
                            + e.getMessage(),
                    e);
        }
        if (memory == null) {
            throw new EngineException(Status.FAIL, "the user's source has no memory for context binary '" + name + "'");
        }
        return memory;
    }

    private static MemorySegment usable(MemorySegment memory) {
        boolean fits =
                memory.isNative() && memory.address() % ContextTables.ALIGNMENT == 0 && OtherThread.mayRead(memory);
        return fits
                ? memory
                : OwnMemory.allocate(Math.max(1, memory.byteSize()), ContextTables.ALIGNMENT)
                        .asSlice(0, memory.byteSize())
                        .copyFrom(memory);
    }

    void clear() {
        byName.clear();
    }
}
