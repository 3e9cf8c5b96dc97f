package dev.millrace.scheduler.run;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.tensor.OwnMemory;
import java.lang.foreign.MemorySegment;

/** Allocates the memory of runs. */
final class HostBlocks {
    private HostBlocks() {}

    /** @param purpose what the memory is for, for a reader */
    static MemorySegment allocate(long bytes, String purpose) {
        try {
            return OwnMemory.allocate(Math.max(bytes, 1), 64);
        } catch (EngineException e) {
            throw e.at(purpose);
        } catch (OutOfMemoryError e) {
            throw new EngineException(
                    Status.FAIL,
                    "no memory for " + bytes + " bytes of " + purpose + "; raise -XX:MaxDirectMemorySize, or run"
                            + " smaller inputs or fewer runs at a time",
                    e);
        }
    }
}
