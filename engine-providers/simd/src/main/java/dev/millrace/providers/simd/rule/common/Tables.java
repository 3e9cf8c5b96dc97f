package dev.millrace.providers.simd.rule.common;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.OwnMemory;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.simd.lower.CompileEnvironment;
import dev.millrace.providers.simd.program.Storage;
import dev.millrace.providers.simd.program.View;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Small tables of numbers that a binding makes, where kernels read them. */
public final class Tables {
    private static final long ALIGNMENT = 64;

    private Tables() {}

    /** The numbers of a constant, which is marked as read as it is. */
    public static float[] floatsOf(CompileEnvironment environment, Tensor constant) {
        environment.weights().plain(constant);
        return constant.floats();
    }

    /** The numbers of a constant, which is marked as read as it is. */
    public static int[] intsOf(CompileEnvironment environment, Tensor constant) {
        environment.weights().plain(constant);
        return constant.ints();
    }

    public static View floats(float... numbers) {
        MemorySegment memory = allocate(4L * numbers.length);
        MemorySegment.copy(numbers, 0, memory, ValueLayout.JAVA_FLOAT, 0, numbers.length);
        return View.dense(Storage.constant(memory), ElementType.FLOAT, Shape.of(numbers.length));
    }

    public static View ints(int... numbers) {
        return View.dense(Storage.constant(memory(numbers)), ElementType.INT32, Shape.of(numbers.length));
    }

    public static MemorySegment memory(int... numbers) {
        MemorySegment memory = allocate(4L * numbers.length);
        MemorySegment.copy(numbers, 0, memory, ValueLayout.JAVA_INT, 0, numbers.length);
        return memory;
    }

    static View bytes(byte... numbers) {
        MemorySegment memory = allocate(numbers.length);
        MemorySegment.copy(numbers, 0, memory, ValueLayout.JAVA_BYTE, 0, numbers.length);
        return View.dense(Storage.constant(memory), ElementType.INT8, Shape.of(numbers.length));
    }

    private static MemorySegment allocate(long bytes) {
        return OwnMemory.allocate(Math.max(1, bytes), ALIGNMENT).asSlice(0, bytes);
    }
}
