package dev.millrace.memory;

import dev.millrace.memory.call.Calls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** Pages of memory from the operating system (Linux), with their protection. */
public final class Pages {
    /** The permitted uses of a page. No page is ever writable and executable at once. */
    public enum Protection {
        NONE(0),
        READ_WRITE(3),
        READ_EXECUTE(5);

        private final int bits;

        Protection(int bits) {
            this.bits = bits;
        }
    }

    public static final long SIZE = 4096;

    /**
     * The size in bytes up to which the system populates all pages of a mapping at once (MAP_POPULATE), since callers
     * write them soon. That takes a third or less of the time of a page fault for each. Populating larger mappings
     * takes so long that a caller may want to cancel meanwhile, and large parts of them may never be written.
     */
    static final long PRESENT = 64 << 20;

    /**
     * The size in bytes of a large page, which the processor finds with one entry of its table of translations. Mappings of
     * this size and more that are written soon ask for large pages, where the system gives them to those who ask.
     */
    static final long LARGE = 2 << 20;

    private static final int PRIVATE_ANONYMOUS = 0x22;
    private static final int POPULATE = 0x8000;
    private static final int DONT_NEED = 4;
    private static final int HUGE_PAGE = 14;
    private static final int POPULATE_READ = 22;
    private static final int POPULATE_WRITE = 23;

    private static final class Symbols {
        static final MemorySegment MMAP = Calls.ofLibrary("mmap");
        static final MemorySegment MPROTECT = Calls.ofLibrary("mprotect");
        static final MemorySegment MUNMAP = Calls.ofLibrary("munmap");
        static final MemorySegment MADVISE = Calls.ofLibrary("madvise");
    }

    /** Whether mapping works, which is tried at the first use. */
    private static final class Presence {
        static final boolean PROVEN = prove();

        private static boolean prove() {
            if (!System.getProperty("os.name").equals("Linux")) {
                return false;
            }
            try (Arena arena = Arena.ofConfined()) {
                map(SIZE, arena);
                return true;
            } catch (RuntimeException | LinkageError | OutOfMemoryError refused) {
                return false;
            } finally {
                known = true;
            }
        }
    }

    private static volatile boolean known;
    private static final AtomicBoolean ASKED = new AtomicBoolean();

    private Pages() {}

    /** Whether this system provides pages, and this module may call native code without a warning. */
    public static boolean areThere() {
        return Pages.class.getModule().isNativeAccessEnabled() && Presence.PROVEN;
    }

    /**
     * Returns {@link #areThere} if that is known already, and false otherwise. It does not wait for the linker, which
     * takes more time than reading a model: another thread determines the answer for later calls.
     */
    static boolean areKnown() {
        if (known) {
            return areThere();
        }
        foresee();
        return false;
    }

    /** Starts a thread that determines {@link #areThere} and links what all native calls need. */
    public static void foresee() {
        if (!ASKED.getAndSet(true)) {
            Thread thread = new Thread(Pages::areThere, "millrace-pages");
            thread.setDaemon(true);
            thread.start();
        }
    }

    /**
     * Maps whole pages of zeros, readable and writable, until the arena closes.
     *
     * @throws OutOfMemoryError if the system refuses
     */
    public static MemorySegment map(long bytes, Arena arena) {
        return map(roundUp(bytes), arena, true, Pages::unmap);
    }

    /**
     * Maps pages; {@code cleanup} {@linkplain #unmap unmaps} them once they are unreachable.
     *
     * @param soon whether they are written soon, so that the system populates them at once
     */
    static MemorySegment map(long size, Arena arena, boolean soon, Consumer<MemorySegment> cleanup) {
        if (soon && size >= LARGE) {
            return mapLarge(size, arena, cleanup);
        }
        return at(map(size, soon ? PRIVATE_ANONYMOUS | POPULATE : PRIVATE_ANONYMOUS), size, arena, cleanup);
    }

    /** Maps pages from a multiple of {@link #LARGE} on. The rest behind the last whole large page has small ones. */
    private static MemorySegment mapLarge(long size, Arena arena, Consumer<MemorySegment> cleanup) {
        long mapped = map(size + LARGE, PRIVATE_ANONYMOUS);
        long start = mapped + LARGE - 1 & -LARGE;
        unmap(mapped, start);
        unmap(start + size, mapped + size + LARGE);
        Calls.call(Symbols.MADVISE, start, size & -LARGE, HUGE_PAGE, 0, 0, 0);
        MemorySegment pages = at(start, size, arena, cleanup);
        populate(pages);
        return pages;
    }

    private static MemorySegment at(long address, long size, Arena arena, Consumer<MemorySegment> cleanup) {
        return MemorySegment.ofAddress(address).reinterpret(size, arena, cleanup);
    }

    /** Returns the address of a new mapping. */
    private static long map(long size, int flags) {
        long address = Calls.call(Symbols.MMAP, 0, size, Protection.READ_WRITE.bits, flags, -1, 0);
        if (address < 0 && address > -SIZE) {
            throw new OutOfMemoryError("the system refuses to map " + size + " bytes");
        }
        return address;
    }

    private static void unmap(long start, long end) {
        if (end > start) {
            Calls.call(Symbols.MUNMAP, start, end - start, 0, 0, 0, 0);
        }
    }

    static void unmap(MemorySegment pages) {
        unmap(pages.address(), pages.address() + pages.byteSize());
    }

    /**
     * Populates all pages that have no memory yet; a system without MADV_POPULATE_WRITE does so page by page at first
     * access.
     */
    static void populate(MemorySegment memory) {
        long start = memory.address() & -SIZE;
        long end = roundUp(memory.address() + memory.byteSize());
        if (end - start <= PRESENT) {
            Calls.call(Symbols.MADVISE, start, end - start, POPULATE_WRITE, 0, 0, 0);
        }
    }

    /**
     * Reads the pages of a mapped file into memory and maps them into this process, all at once, which takes a fraction
     * of the time of a fault for each page. Where the system cannot do so, or the file has become shorter, nothing
     * happens.
     */
    public static void bringIn(MemorySegment mapped) {
        if (areThere()) {
            long start = mapped.address() & -SIZE;
            long end = roundUp(mapped.address() + mapped.byteSize());
            Calls.call(Symbols.MADVISE, start, end - start, POPULATE_READ, 0, 0, 0);
        }
    }

    /** Returns the memory of whole private pages to the system: they stay mapped and read as zeros from then on. */
    static void empty(MemorySegment memory) {
        long start = roundUp(memory.address());
        long end = memory.address() + memory.byteSize() & -SIZE;
        if (end > start) {
            Calls.call(Symbols.MADVISE, start, end - start, DONT_NEED, 0, 0, 0);
        }
    }

    /**
     * Changes the protection of whole pages.
     *
     * @return whether the system allowed it
     */
    public static boolean protect(MemorySegment pages, Protection protection) {
        return (int) Calls.call(Symbols.MPROTECT, pages.address(), pages.byteSize(), protection.bits, 0, 0, 0) == 0;
    }

    public static long roundUp(long bytes) {
        return Math.addExact(bytes, SIZE - 1) & -SIZE;
    }
}
