package dev.millrace.bench.reference;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtLoggingLevel;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/**
 * The table of functions that ONNX Runtime's C interface is. Functions are only ever added behind those that are there, so
 * that their numbers stay.
 */
final class OrtApi {
    /** A function that returns a status, and its number in the table. */
    enum Call {
        CREATE_ENV(3),
        CREATE_SESSION(7),
        RUN(9),
        CREATE_SESSION_OPTIONS(10),
        SET_OPTIMIZATION_LEVEL(23),
        SET_INTRA_OP_THREADS(24),
        OUTPUT_COUNT(31),
        OUTPUT_NAME(37),
        CREATE_TENSOR(48),
        WRAP_TENSOR(49),
        TENSOR_DATA(51),
        FILL_STRINGS(52),
        ELEMENT_TYPE(60),
        RANK(61),
        DIMENSIONS(62),
        TENSOR_TYPE(65),
        VALUE_TYPE(67),
        CPU_MEMORY_INFO(69),
        FREE(76),
        DEFAULT_ALLOCATOR(78),
        GET_VALUE(80),
        VALUE_COUNT(81),
        CREATE_VALUE(82),
        STRING_LENGTH(127),
        STRING(128),
        HAS_VALUE(192);

        private final int number;

        Call(int number) {
            this.number = number;
        }
    }

    /** A function that frees what it is given, and its number in the table. */
    enum Release {
        STATUS(93),
        SESSION(95),
        VALUE(96),
        TENSOR_TYPE(99),
        SESSION_OPTIONS(100);

        private final int number;

        Release(int number) {
            this.number = number;
        }
    }

    private static final int VERSION = 16;
    private static final int ERROR_MESSAGE = 2;

    private static final Linker LINKER = Linker.nativeLinker();

    private final MemorySegment table;
    private final MethodHandle errorMessage;
    private final Map<Call, MethodHandle> calls = new EnumMap<>(Call.class);
    private final Map<Release, MethodHandle> releases = new EnumMap<>(Release.class);

    private OrtApi(MemorySegment table) {
        this.table = table;
        errorMessage = LINKER.downcallHandle(function(ERROR_MESSAGE), FunctionDescriptor.of(ADDRESS, ADDRESS));
        for (Release release : Release.values()) {
            var handle = LINKER.downcallHandle(function(release.number), FunctionDescriptor.ofVoid(ADDRESS));
            releases.put(release, handle);
        }
    }

    /** The table of the library that the Java package brings. */
    static OrtApi load() {
        // it unpacks and loads the library
        OrtEnvironment.getEnvironment(OrtLoggingLevel.ORT_LOGGING_LEVEL_FATAL, "peer");
        MemorySegment entry = SymbolLookup.loaderLookup()
                .find("OrtGetApiBase")
                .orElseThrow(() -> new IllegalStateException("ONNX Runtime's library has no OrtGetApiBase"));
        MethodHandle base = LINKER.downcallHandle(entry, FunctionDescriptor.of(ADDRESS));
        try {
            MemorySegment getApi = pointer((MemorySegment) base.invokeExact(), 0);
            MethodHandle get = LINKER.downcallHandle(getApi, FunctionDescriptor.of(ADDRESS, JAVA_INT));
            return new OrtApi((MemorySegment) get.invokeExact(VERSION));
        } catch (Throwable e) {
            throw new IllegalStateException("ONNX Runtime's functions cannot be found", e);
        }
    }

    private MemorySegment function(int number) {
        return pointer(table, number);
    }

    private static MemorySegment pointer(MemorySegment from, long index) {
        return from.reinterpret((index + 1) * ADDRESS.byteSize()).getAtIndex(ADDRESS, index);
    }

    /** Calls a function with pointers, {@code int}s and {@code long}s as it takes them; throws what it complains of. */
    void call(Call call, Object... arguments) throws OrtException {
        MethodHandle handle = calls.computeIfAbsent(
                call, wanted -> LINKER.downcallHandle(function(wanted.number), descriptor(arguments)));
        MemorySegment status = (MemorySegment) invoke(handle, arguments);
        if (status.address() != 0) {
            String message = text((MemorySegment) invoke(errorMessage, status));
            release(Release.STATUS, status);
            throw new OrtException(message);
        }
    }

    private static FunctionDescriptor descriptor(Object... arguments) {
        return FunctionDescriptor.of(
                ADDRESS,
                Arrays.stream(arguments)
                        .map(argument -> switch (argument) {
                            case Integer _ -> JAVA_INT;
                            case Long _ -> JAVA_LONG;
                            default -> ADDRESS;
                        })
                        .toArray(MemoryLayout[]::new));
    }

    private static Object invoke(MethodHandle handle, Object... arguments) {
        try {
            return handle.invokeWithArguments(arguments);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    /** Calls a function whose last argument is where it puts a pointer, and returns that. */
    MemorySegment get(Call call, Object... arguments) throws OrtException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment result = arena.allocate(ADDRESS);
            callInto(call, result, arguments);
            return result.get(ADDRESS, 0);
        }
    }

    /** Calls a function whose last argument is where it puts a size, and returns that. */
    long getLong(Call call, Object... arguments) throws OrtException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment result = arena.allocate(JAVA_LONG);
            callInto(call, result, arguments);
            return result.get(JAVA_LONG, 0);
        }
    }

    /** Calls a function whose last argument is where it puts an int, and returns that. */
    int getInt(Call call, Object... arguments) throws OrtException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment result = arena.allocate(JAVA_INT);
            callInto(call, result, arguments);
            return result.get(JAVA_INT, 0);
        }
    }

    private void callInto(Call call, MemorySegment result, Object... arguments) throws OrtException {
        Object[] all = Arrays.copyOf(arguments, arguments.length + 1);
        all[arguments.length] = result;
        call(call, all);
    }

    /** Frees what a pointer points to; a pointer to nothing is left alone. */
    void release(Release release, MemorySegment what) {
        if (what.address() != 0) {
            try {
                Objects.requireNonNull(releases.get(release)).invokeExact(what);
            } catch (RuntimeException | Error e) {
                throw e;
            } catch (Throwable e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /** The text that a pointer points to. */
    static String text(MemorySegment pointer) {
        return pointer.reinterpret(Long.MAX_VALUE).getString(0);
    }
}
