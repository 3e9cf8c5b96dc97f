package dev.millrace.memory.call;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.NoSuchElementException;
import java.util.Optional;

/**
 * The one native signature of the engine: six longs in, one out. One signature keeps the linker's cost to one.
 *
 * <p>While a call runs, the arena of the function's segment cannot be closed; a call of a closed one throws.
 */
public final class Calls {
    private static final MethodHandle HANDLE = Linker.nativeLinker().downcallHandle(signature());

    private Calls() {}

    private static FunctionDescriptor signature() {
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
