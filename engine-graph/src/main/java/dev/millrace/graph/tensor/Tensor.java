package dev.millrace.graph.tensor;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A tensor: an element type, a shape, and memory. Elements are row-major, little-endian, packed as ONNX packs them.
 *
 * <p>{@code wrap} borrows memory, {@code copyOf} and {@code allocate} own it. Closing is idempotent; a closed tensor
 * refuses access, and so do its views; a tensor that is never closed is reclaimed by the garbage collector. Reading is
 * safe from any thread, also while another one closes; callers that write through {@link #segment()} synchronise.
 */
public final class Tensor implements Datum {
    /** The bit of {@link #holders} that marks a closed tensor, which accepts no new holders. */
    private static final int LAST = Integer.MIN_VALUE;

    private static final int LONGEST_ARRAY = Integer.MAX_VALUE - 8;

    private final ElementType type;
    private final Shape shape;
    private final MemorySegment data;
    private final String @Nullable [] strings;
    private final @Nullable Runnable release;
    private final boolean recycled;
    /** The tensor that owns the memory where this one is a view. */
    private final @Nullable Tensor owner;

    private final AtomicInteger holders = new AtomicInteger();
    private volatile boolean handedOut;
    private volatile boolean closed;

    private Tensor(
            ElementType type,
            Shape shape,
            MemorySegment data,
            String @Nullable [] strings,
            @Nullable Runnable release,
            boolean recycled,
            @Nullable Tensor owner) {
        this.type = type;
        this.shape = shape;
        this.data = data;
        this.strings = strings;
        this.release = release;
        this.recycled = recycled;
        this.owner = owner;
    }

    private static Tensor borrowing(
            ElementType type, Shape shape, MemorySegment data, String @Nullable [] strings, @Nullable Tensor owner) {
        return new Tensor(type, shape, data, strings, null, false, owner);
    }

    /** Wraps memory that stays the caller's. The segment has at least the bytes that the shape needs. */
    public static Tensor wrap(ElementType type, Shape shape, MemorySegment data) {
        return borrowing(type, shape, fitting(type, shape, data), null, null);
    }

    /** Wraps memory and runs {@code release} once, when the tensor is closed and no run reads it any more. */
    public static Tensor owning(ElementType type, Shape shape, MemorySegment data, Runnable release) {
        return new Tensor(type, shape, fitting(type, shape, data), null, release, false, null);
    }

    /**
     * Wraps memory that is reused: {@code giveBack} runs once, when the tensor is closed and no run reads it any more.
     * It never runs after a caller has obtained {@link #segment()}, whose content then stays valid.
     */
    public static Tensor recycling(ElementType type, Shape shape, MemorySegment data, Runnable giveBack) {
        return new Tensor(type, shape, fitting(type, shape, data), null, giveBack, true, null);
    }

    /** Returns a tensor with a type and a shape only, which refuses access like a closed one. */
    public static Tensor absent(ElementType type, Shape shape) {
        Tensor tensor = borrowing(type, shape, MemorySegment.NULL, null, null);
        tensor.closed = true;
        return tensor;
    }

    /** Allocates zeroed memory that the garbage collector reclaims. Strings start empty. */
    public static Tensor allocate(ElementType type, Shape shape) {
        if (type == ElementType.STRING) {
            if (shape.elements() > LONGEST_ARRAY) {
                throw EngineException.invalidArgument(
                        "a tensor of " + shape.elements() + " strings, shape " + shape + ", does not fit a Java array");
            }
            String[] strings = new String[(int) shape.elements()];
            Arrays.fill(strings, "");
            return ofStrings(shape, strings);
        }
        return wrap(type, shape, OwnMemory.allocate(Math.max(1, type.bytes(shape.elements())), 64));
    }

    public static Tensor copyOf(Tensor other) {
        if (other.strings != null) {
            return ofStrings(other.shape, other.strings().clone());
        }
        other.pin();
        try {
            Tensor copy = allocate(other.type, other.shape);
            copy.data.copyFrom(other.data);
            return copy;
        } finally {
            other.release();
        }
    }

    public static Tensor copyOf(float[] values, long... dims) {
        Tensor tensor = fresh(ElementType.FLOAT, values.length, dims);
        MemorySegment.copy(values, 0, tensor.data, ByteLayouts.FLOAT, 0, values.length);
        return tensor;
    }

    public static Tensor copyOf(double[] values, long... dims) {
        Tensor tensor = fresh(ElementType.DOUBLE, values.length, dims);
        MemorySegment.copy(values, 0, tensor.data, ByteLayouts.DOUBLE, 0, values.length);
        return tensor;
    }

    public static Tensor copyOf(long[] values, long... dims) {
        Tensor tensor = fresh(ElementType.INT64, values.length, dims);
        MemorySegment.copy(values, 0, tensor.data, ByteLayouts.LONG, 0, values.length);
        return tensor;
    }

    public static Tensor copyOf(int[] values, long... dims) {
        Tensor tensor = fresh(ElementType.INT32, values.length, dims);
        MemorySegment.copy(values, 0, tensor.data, ByteLayouts.INT, 0, values.length);
        return tensor;
    }

    public static Tensor copyOf(byte[] values, long... dims) {
        Tensor tensor = fresh(ElementType.INT8, values.length, dims);
        MemorySegment.copy(values, 0, tensor.data, ByteLayouts.BYTE, 0, values.length);
        return tensor;
    }

    public static Tensor copyOf(boolean[] values, long... dims) {
        Tensor tensor = fresh(ElementType.BOOL, values.length, dims);
        for (int i = 0; i < values.length; i++) {
            tensor.data.set(ByteLayouts.BYTE, i, (byte) (values[i] ? 1 : 0));
        }
        return tensor;
    }

    /** Returns a string tensor over this very array, not a copy. */
    public static Tensor ofStrings(Shape shape, String... values) {
        if (values.length != shape.elements()) {
            throw EngineException.invalidArgument(values.length + " strings do not fill shape " + shape);
        }
        return borrowing(ElementType.STRING, shape, MemorySegment.NULL, values, null);
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

    /**
     * The memory, exactly as long as the elements need. A run's output stays valid while its segment is reachable and
     * is not reused then; read by value to allow reuse. Wrapped memory is valid as long as its owner keeps it.
     */
    public MemorySegment segment() {
        if (strings != null) {
            throw wrongType("segment()");
        }
        Tensor root = root();
        if (root.recycled && !root.handedOut) {
            // set before the read of closed: close() accesses these two in the opposite order
            root.handedOut = true;
        }
        checkOpen();
        return data;
    }

    /** Whether a thread may read the elements: memory of a confined arena belongs to one thread. */
    public boolean isReadableBy(Thread thread) {
        return strings != null || data.isAccessibleBy(thread);
    }

    /** The strings themselves, not a copy. */
    public String[] strings() {
        checkOpen();
        if (strings == null) {
            throw wrongType("strings()");
        }
        return strings;
    }

    private void reading(Runnable reader) {
        pin();
        try {
            reader.run();
        } finally {
            release();
        }
    }

    /** All elements by value; for float and the floating types of sixteen bits and fewer. */
    public float[] floats() {
        if (!type.isFloating() || type == ElementType.DOUBLE) {
            throw wrongType("floats()");
        }
        float[] values = new float[arrayLength()];
        reading(() -> Elements.read(type, data, 0, values, 0, values.length));
        return values;
    }

    /** All elements by value; for every floating type. */
    public double[] doubles() {
        if (!type.isFloating()) {
            throw wrongType("doubles()");
        }
        double[] values = new double[arrayLength()];
        reading(() -> Elements.read(type, data, 0, values, 0, values.length));
        return values;
    }

    /** All elements; for every integer type and bool. uint64 keeps its bits. */
    public long[] longs() {
        if (!type.isInteger() && type != ElementType.BOOL) {
            throw wrongType("longs()");
        }
        long[] values = new long[arrayLength()];
        reading(() -> Elements.read(type, data, 0, values, 0, values.length));
        return values;
    }

    /** All elements; for integer types of 32 bits and fewer, and bool. uint32 keeps its bits. */
    public int[] ints() {
        if (type.bits() > 32 || !type.isInteger() && type != ElementType.BOOL) {
            throw wrongType("ints()");
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
            throw wrongType("booleans()");
        }
        long[] wide = longs();
        boolean[] values = new boolean[wide.length];
        for (int i = 0; i < values.length; i++) {
            values[i] = wide[i] != 0;
        }
        return values;
    }

    /**
     * Returns a view of the same memory with another shape of as many elements. The view does not own it: closing the
     * view closes nothing else, and closing this tensor closes the view.
     */
    public Tensor reshaped(Shape to) {
        if (to.elements() != shape.elements()) {
            throw EngineException.invalidArgument("cannot view shape " + shape + " as " + to);
        }
        Tensor view = borrowing(type, to, data, strings, root());
        view.closed = closed;
        return view;
    }

    private Tensor root() {
        return owner == null ? this : owner;
    }

    public boolean isClosed() {
        return closed || owner != null && owner.closed;
    }

    private void checkOpen() {
        if (isClosed()) {
            throw closedException();
        }
    }

    /**
     * Holds the memory for the length of a run: the returned tensor stays valid until {@link #release()}, even if this
     * tensor is closed meanwhile. Throws where it is closed already.
     */
    public Tensor retain() {
        pin();
        return root().release == null ? this : borrowing(type, shape, data, strings, null);
    }

    /** Ends one {@link #hold()}. */
    public void release() {
        Tensor root = root();
        if (root.release != null && root.holders.decrementAndGet() == LAST) {
            root.giveBack();
        }
    }

    private void pin() {
        checkOpen();
        Tensor root = root();
        if (root.release != null) {
            int now;
            do {
                now = root.holders.get();
                if (now < 0) {
                    throw closedException();
                }
            } while (!root.holders.compareAndSet(now, now + 1));
        }
    }

    @Override
    public void close() {
        closed = true;
        if (release != null && holders.getAndUpdate(now -> now | LAST) == 0) {
            giveBack();
        }
    }

    private void giveBack() {
        if (release != null && !handedOut) {
            release.run();
        }
    }

    private int arrayLength() {
        if (shape.elements() > LONGEST_ARRAY) {
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

    private EngineException wrongType(String asked) {
        return EngineException.invalidArgument(asked + " does not fit a " + type + " tensor; use " + type.reader());
    }

    /** Returns type and shape, never the contents. */
    @Override
    public String toString() {
        return "tensor " + type + shape;
    }
}
