package dev.millrace.graph.tensor;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * An element type, a shape, and memory. Elements lie row-major, little-endian, packed as ONNX packs them.
 *
 * <p>{@code wrap} borrows memory, {@code copyOf} and {@code allocate} own it. Closing is idempotent; a closed tensor
 * refuses access; a tensor that is never closed is reclaimed by the garbage collector. Reading is safe from any thread;
 * writing through {@link #segment()} is the caller's business.
 */
public final class Tensor implements Datum {
    private final ElementType type;
    private final Shape shape;
    private final MemorySegment data;
    private final String @Nullable [] strings;
    private final AtomicReference<@Nullable Runnable> release;
    private volatile boolean closed;

    private Tensor(
            ElementType type,
            Shape shape,
            MemorySegment data,
            String @Nullable [] strings,
            @Nullable Runnable release) {
        this.type = type;
        this.shape = shape;
        this.data = data;
        this.strings = strings;
        this.release = new AtomicReference<>(release);
    }

    /** A tensor over memory that stays the caller's. The segment holds at least the bytes that the shape needs. */
    public static Tensor wrap(ElementType type, Shape shape, MemorySegment data) {
        return new Tensor(type, shape, fitting(type, shape, data), null, null);
    }

    /** A tensor that runs {@code release} once, when it is first closed. */
    public static Tensor owning(ElementType type, Shape shape, MemorySegment data, Runnable release) {
        return new Tensor(type, shape, fitting(type, shape, data), null, release);
    }

    /** A tensor of which only type and shape are there: it refuses access as a closed one does. */
    public static Tensor absent(ElementType type, Shape shape) {
        var tensor = new Tensor(type, shape, MemorySegment.NULL, null, null);
        tensor.closed = true;
        return tensor;
    }

    /** Fresh zeroed memory, reclaimed by the garbage collector. Strings start empty. */
    public static Tensor allocate(ElementType type, Shape shape) {
        if (type == ElementType.STRING) {
            String[] strings = new String[Math.toIntExact(shape.elements())];
            Arrays.fill(strings, "");
            return ofStrings(shape, strings);
        }
        return wrap(type, shape, Arena.ofAuto().allocate(Math.max(1, type.bytes(shape.elements())), 64));
    }

    public static Tensor copyOf(Tensor other) {
        if (other.strings != null) {
            return ofStrings(other.shape, other.strings.clone());
        }
        Tensor copy = allocate(other.type, other.shape);
        copy.data.copyFrom(other.segment());
        return copy;
    }

    public static Tensor copyOf(float[] values, long... dims) {
        Tensor tensor = fresh(ElementType.FLOAT, values.length, dims);
        MemorySegment.copy(values, 0, tensor.data, Layouts.FLOAT, 0, values.length);
        return tensor;
    }

    public static Tensor copyOf(double[] values, long... dims) {
        Tensor tensor = fresh(ElementType.DOUBLE, values.length, dims);
        MemorySegment.copy(values, 0, tensor.data, Layouts.DOUBLE, 0, values.length);
        return tensor;
    }

    public static Tensor copyOf(long[] values, long... dims) {
        Tensor tensor = fresh(ElementType.INT64, values.length, dims);
        MemorySegment.copy(values, 0, tensor.data, Layouts.LONG, 0, values.length);
        return tensor;
    }

    public static Tensor copyOf(int[] values, long... dims) {
        Tensor tensor = fresh(ElementType.INT32, values.length, dims);
        MemorySegment.copy(values, 0, tensor.data, Layouts.INT, 0, values.length);
        return tensor;
    }

    public static Tensor copyOf(byte[] values, long... dims) {
        Tensor tensor = fresh(ElementType.INT8, values.length, dims);
        MemorySegment.copy(values, 0, tensor.data, Layouts.BYTE, 0, values.length);
        return tensor;
    }

    public static Tensor copyOf(boolean[] values, long... dims) {
        Tensor tensor = fresh(ElementType.BOOL, values.length, dims);
        for (int i = 0; i < values.length; i++) {
            tensor.data.set(Layouts.BYTE, i, (byte) (values[i] ? 1 : 0));
        }
        return tensor;
    }

    /** A string tensor over this very array. */
    public static Tensor ofStrings(Shape shape, String... values) {
        if (values.length != shape.elements()) {
            throw EngineException.invalidArgument(values.length + " strings do not fill shape " + shape);
        }
        return new Tensor(ElementType.STRING, shape, MemorySegment.NULL, values, null);
    }

    public static Tensor scalar(float value) {
        return copyOf(new float[] {value});
    }

    public static Tensor scalar(long value) {
        return copyOf(new long[] {value});
    }

    public static Tensor scalar(boolean value) {
        return copyOf(new boolean[] {value});
    }

    private static Tensor fresh(ElementType type, int values, long[] dims) {
        Shape shape = Shape.of(dims);
        if (shape.elements() != values) {
            throw EngineException.invalidArgument(values + " values do not fill shape " + shape);
        }
        return allocate(type, shape);
    }

    private static MemorySegment fitting(ElementType type, Shape shape, MemorySegment data) {
        long bytes = type.bytes(shape.elements());
        if (data.byteSize() < bytes) {
            throw EngineException.invalidArgument("a " + type + " tensor of shape " + shape + " needs " + bytes
                    + " bytes, but its memory has " + data.byteSize());
        }
        return data.byteSize() == bytes ? data : data.asSlice(0, bytes);
    }

    public ElementType type() {
        return type;
    }

    public Shape shape() {
        return shape;
    }

    public long elements() {
        return shape.elements();
    }

    /** The memory, exactly as long as the elements need. It stays valid until this tensor is closed. */
    public MemorySegment segment() {
        if (closed) {
            throw closedException();
        }
        if (strings != null) {
            throw wrongType("segment() of bytes", "strings()");
        }
        return data;
    }

    /** The strings themselves, not a copy. */
    public String[] strings() {
        if (closed) {
            throw closedException();
        }
        if (strings == null) {
            throw wrongType("strings()", "a reader of its own type");
        }
        return strings;
    }

    /** All elements by value; for float and the floating types of sixteen bits and fewer. */
    public float[] floats() {
        if (!type.isFloating() || type == ElementType.DOUBLE) {
            throw wrongType("floats()", "a reader of its own type");
        }
        float[] values = new float[arrayLength()];
        Elements.read(type, segment(), 0, values, 0, values.length);
        return values;
    }

    /** All elements by value; for every floating type. */
    public double[] doubles() {
        if (!type.isFloating()) {
            throw wrongType("doubles()", "a reader of its own type");
        }
        double[] values = new double[arrayLength()];
        Elements.read(type, segment(), 0, values, 0, values.length);
        return values;
    }

    /** All elements; for every integer type and bool. uint64 keeps its bits. */
    public long[] longs() {
        if (!type.isInteger() && type != ElementType.BOOL) {
            throw wrongType("longs()", "a reader of its own type");
        }
        long[] values = new long[arrayLength()];
        Elements.read(type, segment(), 0, values, 0, values.length);
        return values;
    }

    /** All elements; for integer types of 32 bits and fewer, and bool. uint32 keeps its bits. */
    public int[] ints() {
        if (type.bits() > 32) {
            throw wrongType("ints()", "longs()");
        }
        long[] wide = longs();
        int[] values = new int[wide.length];
        for (int i = 0; i < values.length; i++) {
            values[i] = (int) wide[i];
        }
        return values;
    }

    public boolean[] booleans() {
        if (type != ElementType.BOOL) {
            throw wrongType("booleans()", "a reader of its own type");
        }
        boolean[] values = new boolean[arrayLength()];
        for (int i = 0; i < values.length; i++) {
            values[i] = segment().get(Layouts.BYTE, i) != 0;
        }
        return values;
    }

    /** The same memory under another shape with as many elements; the view does not own it. */
    public Tensor reshaped(Shape to) {
        if (to.elements() != shape.elements()) {
            throw EngineException.invalidArgument("cannot view shape " + shape + " as " + to);
        }
        return new Tensor(type, to, data, strings, null);
    }

    public boolean isClosed() {
        return closed;
    }

    @Override
    public void close() {
        closed = true;
        Runnable action = release.getAndSet(null);
        if (action != null) {
            action.run();
        }
    }

    private int arrayLength() {
        if (shape.elements() > Integer.MAX_VALUE - 8) {
            throw EngineException.invalidArgument(
                    "a tensor of shape " + shape + " does not fit a Java array; read its segment()");
        }
        return (int) shape.elements();
    }

    private EngineException closedException() {
        if (data.equals(MemorySegment.NULL) && strings == null) {
            return EngineException.invalidGraph("the elements of this " + this + " were not kept");
        }
        return new EngineException(
                Status.INVALID_ARGUMENT,
                "this " + this + " is closed; read it before close(), or keep a Tensor.copyOf it");
    }

    private EngineException wrongType(String asked, String instead) {
        return EngineException.invalidArgument(asked + " does not fit a tensor of type " + type + "; use " + instead);
    }

    /** Type and shape, never the contents. */
    @Override
    public String toString() {
        return "tensor " + type + shape;
    }
}
