package dev.millrace.codegen.code;

import dev.millrace.memory.Pages;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Owns machine code: what it installs can be called until it is closed. Safe for use by several threads.
 *
 * <p>Code is written while its pages are writable, and they are executable, no longer writable, before anyone can call
 * it.
 */
public final class CodeArena implements AutoCloseable {
    private static final int ALIGNMENT = 64;

    private final Arena arena;
    private final CodeMap map;
    private final List<MachineFunction> functions = new ArrayList<>();
    private boolean closed;

    public CodeArena(CodeMap map) {
        this(map, Arena.ofShared());
    }

    private CodeArena(CodeMap map, Arena arena) {
        this.map = map;
        this.arena = arena;
    }

    /**
     * An arena that lives as long as the process. Calls of its code are cheaper, and do not disturb each other, since
     * nothing has to be kept from being freed.
     */
    public static CodeArena ofProcess(CodeMap map) {
        return new CodeArena(map, Arena.global());
    }

    /** An arena for one thread, which can close it without asking what all others do. */
    static CodeArena ofThread(CodeMap map) {
        return new CodeArena(map, Arena.ofConfined());
    }

    /** {@link #install(List)} for one block. */
    public MachineFunction install(RelocatableCode block) {
        return install(List.of(block)).get(0);
    }

    /**
     * Makes blocks callable; they share pages.
     *
     * @return a function for each block, in their order
     * @throws UnsupportedOperationException if the system refuses to make memory executable
     * @throws IllegalStateException if this arena is closed
     */
    public synchronized List<MachineFunction> install(List<RelocatableCode> blocks) {
        if (closed) {
            throw new IllegalStateException("the code arena is closed");
        }
        long size = 0;
        for (RelocatableCode block : blocks) {
            size += aligned(block.bytes().length);
        }
        MemorySegment pages = Pages.map(Math.max(size, 1), arena);
        List<MachineFunction> installed = new ArrayList<>();
        long offset = 0;
        for (RelocatableCode block : blocks) {
            MemorySegment place = pages.asSlice(offset, block.bytes().length);
            place.copyFrom(MemorySegment.ofArray(block.bytes()));
            installed.add(new MachineFunction(block.name(), place));
            offset += aligned(block.bytes().length);
        }
        if (!Pages.protect(pages, Pages.Protection.READ_EXECUTE)) {
            throw new UnsupportedOperationException("the system refuses to make memory executable");
        }
        functions.addAll(installed);
        for (MachineFunction function : installed) {
            map.add(function);
        }
        return installed;
    }

    private static long aligned(long size) {
        return size + ALIGNMENT - 1 & -ALIGNMENT;
    }

    /**
     * Frees the code. Closing twice is the same as once.
     *
     * @throws IllegalStateException if a function of this arena is running; nothing is freed then
     * @throws UnsupportedOperationException if this arena is the one of the process
     */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        arena.close();
        closed = true;
        for (MachineFunction function : functions) {
            map.remove(function);
        }
        functions.clear();
    }
}
