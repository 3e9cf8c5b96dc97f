package dev.millrace.graph;

import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * A file that is mapped, and watched over by {@link dev.millrace.memory.MappingGuard}: whoever has used its content asks
 * afterwards whether it was there. What is missing of a file that was cut short reads as zeros.
 */
public final class MappedFile {
    private final Path file;
    private final MemorySegment content;
    private final BooleanSupplier damaged;

    /** @param damaged whether the file was cut short since; asked as long as {@code content} is mapped */
    public MappedFile(Path file, MemorySegment content, BooleanSupplier damaged) {
        this.file = file;
        this.content = content;
        this.damaged = damaged;
    }

    public Path file() {
        return file;
    }

    /** Whether the file has been cut short since it was mapped. */
    public boolean isDamaged() {
        try {
            return damaged.getAsBoolean();
        } finally {
            Reference.reachabilityFence(content);
        }
    }

    /** Throws where the file has been cut short since it was mapped. */
    public void check() {
        if (isDamaged()) {
            throw EngineException.invalidGraph(
                    file + " was cut short while it was in use, so that nothing that was read of it counts. Put it"
                         + " back and open it again; to replace a file that is in use, write another one beside it and"
                         + " rename that");
        }
    }

    /** Checks each. */
    public static void check(List<MappedFile> files) {
        for (int i = 0; i < files.size(); i++) {
            files.get(i).check();
        }
    }
}
