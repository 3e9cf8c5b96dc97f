package dev.millrace.memory.call;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Collections;
import java.util.NoSuchElementException;
import java.util.Optional;

/**
 * The one native signature of the engine: six longs in, one out. One signature keeps the linker's cost to one; a second is
 * the same with segments behind, which the function does not see and the linker holds.
 *
 * <p>While a call runs, the arena of the function's segment cannot be closed; a call of a closed one throws.
 */
public final class Calls {
    private static final MethodHandle HANDLE = Linker.nativeLinker().downcallHandle(signature());

    /** How many segments a call can hold. */
    public static final int MOST_HELD = 8;

    /** There where somebody holds something: most processes never do. */
    private static final class Holding {
        static final MethodHandle HANDLE = Linker.nativeLinker()
                .downcallHandle(signature()
                        .appendArgumentLayouts(Collections.nCopies(MOST_HELD, ValueLayout.ADDRESS)
                                .toArray(MemoryLayout[]::new)));
    }

    private Calls() {}

    static FunctionDescriptor signature() {
        ValueLayout.OfLong word = ValueLayout.JAVA_LONG;
        return FunctionDescriptor.of(word, word, word, word, word, word, word);
    }

    /** A function of the C library. */
    public static MemorySegment ofLibrary(String name) {
        Optional<MemorySegment> found = Linker.nativeLinker().defaultLookup().find(name);
        if (found.isEmpty()) {
            throw new NoSuchElementException("the C library has no " + name);
        }
        return found.get();
    }

    /**
     * A call during which the arenas of some segments cannot be closed either.
     *
     * @param held {@value #MOST_HELD} segments, {@link MemorySegment#NULL} where there are fewer
     * @throws IllegalStateException if one is closed already
     */
    public static long callHolding(
            MemorySegment function, MemorySegment[] held, long a, long b, long c, long d, long e, long f) {
        try {
            return (long) Holding.HANDLE.invokeExact(
                    function, a, b, c, d, e, f, held[0], held[1], held[2], held[3], held[4], held[5], held[6], held[7]);
        } catch (RuntimeException | Error failure) {
            throw failure;
        } catch (Throwable impossible) {
            throw new AssertionError(impossible);
        }
    }

    public static long call(MemorySegment function, long a, long b, long c, long d, long e, long f) {
        try {
            return (long) HANDLE.invokeExact(function, a, b, c, d, e, f);
        } catch (RuntimeException | Error failure) {
            throw failure;
        } catch (Throwable impossible) {
            throw new AssertionError(impossible);
        }
    }
}
