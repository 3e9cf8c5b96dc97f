package dev.millrace.onnxruntime;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;

/** Tensors over buffers of Java, and buffers over tensors. */
public final class Buffers {
    private Buffers() {}

    /** Returns whether the engine can read a buffer's own memory: it is direct, and its numbers are in native order. */
    public static boolean isShareable(Buffer buffer) {
        return buffer.isDirect() && (buffer instanceof ByteBuffer || orderOf(buffer) == ByteOrder.nativeOrder());
    }

    private static ByteOrder orderOf(Buffer buffer) {
        return switch (buffer) {
            case FloatBuffer floats -> floats.order();
            case DoubleBuffer doubles -> doubles.order();
            case LongBuffer longs -> longs.order();
            case IntBuffer ints -> ints.order();
            case ShortBuffer shorts -> shorts.order();
            case CharBuffer chars -> chars.order();
            case ByteBuffer bytes -> bytes.order();
        };
    }

    /** Returns a tensor over the memory of what remains of a shareable buffer. */
    public static Tensor shared(Buffer buffer, ElementType type, Shape shape) {
        return Tensor.wrap(type, shape, MemorySegment.ofBuffer(buffer));
    }

    /** Returns a tensor with a copy of what remains of a buffer, whose position stays. */
    public static Tensor copied(Buffer buffer, ElementType type, Shape shape) {
        Tensor tensor = Tensor.allocate(type, shape);
        ByteBuffer to = bytes(tensor);
        switch (buffer) {
            case FloatBuffer floats -> to.asFloatBuffer().put(floats.duplicate().limit(end(floats, to, 4)));
            case DoubleBuffer doubles ->
                to.asDoubleBuffer().put(doubles.duplicate().limit(end(doubles, to, 8)));
            case LongBuffer longs -> to.asLongBuffer().put(longs.duplicate().limit(end(longs, to, 8)));
            case IntBuffer ints -> to.asIntBuffer().put(ints.duplicate().limit(end(ints, to, 4)));
            case ShortBuffer shorts -> to.asShortBuffer().put(shorts.duplicate().limit(end(shorts, to, 2)));
            case CharBuffer _ -> throw new IllegalArgumentException("No tensor has elements of char");
            case ByteBuffer all -> to.put(all.duplicate().limit(end(all, to, 1)));
        }
        return tensor;
    }

    private static int end(Buffer from, ByteBuffer to, int size) {
        return from.position() + to.capacity() / size;
    }

    /** Returns a tensor's own memory in native order. */
    private static ByteBuffer bytes(Tensor tensor) {
        return tensor.segment().asByteBuffer().order(ByteOrder.nativeOrder());
    }

    /** Returns a buffer over a tensor's own memory, of the type of Java that its elements have. */
    public static Buffer over(Tensor tensor) {
        ByteBuffer bytes = bytes(tensor);
        return switch (tensor.type()) {
            case FLOAT -> bytes.asFloatBuffer();
            case DOUBLE -> bytes.asDoubleBuffer();
            case INT64, UINT64 -> bytes.asLongBuffer();
            case INT32, UINT32 -> bytes.asIntBuffer();
            case INT16, UINT16, FLOAT16, BFLOAT16 -> bytes.asShortBuffer();
            default -> bytes;
        };
    }

    /** Returns a buffer over the same memory, with its own position and, of bytes, in native order. */
    public static Buffer view(Buffer buffer) {
        return buffer instanceof ByteBuffer bytes
                ? bytes.duplicate().order(ByteOrder.nativeOrder())
                : buffer.duplicate();
    }

    /** Returns a copy of what remains of a buffer, in the heap. */
    @SuppressWarnings("unchecked") // the copy has the type of the buffer
    public static <T extends Buffer> T heapCopy(T buffer) {
        Buffer copy = switch (buffer) {
            case FloatBuffer floats -> FloatBuffer.allocate(floats.remaining()).put(floats.duplicate());
            case DoubleBuffer doubles ->
                DoubleBuffer.allocate(doubles.remaining()).put(doubles.duplicate());
            case LongBuffer longs -> LongBuffer.allocate(longs.remaining()).put(longs.duplicate());
            case IntBuffer ints -> IntBuffer.allocate(ints.remaining()).put(ints.duplicate());
            case ShortBuffer shorts -> ShortBuffer.allocate(shorts.remaining()).put(shorts.duplicate());
            case CharBuffer chars -> CharBuffer.allocate(chars.remaining()).put(chars.duplicate());
            case ByteBuffer bytes ->
                ByteBuffer.allocate(bytes.remaining()).order(bytes.order()).put(bytes.duplicate());
        };
        return (T) copy.flip();
    }

    /** Returns a copy of what remains of a buffer. */
    public static long[] array(LongBuffer buffer) {
        long[] values = new long[buffer.remaining()];
        buffer.duplicate().get(values);
        return values;
    }
}
