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
    /** The content where it lies on a device; null where it is in {@link #data}. */
    private final @Nullable RemoteContent remote;
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
            @Nullable RemoteContent remote,
            @Nullable Tensor owner) {
        this.type = type;
        this.shape = shape;
        this.data = data;
        this.strings = strings;
        this.release = release;
        this.recycled = recycled;
        this.remote = remote;
        this.owner = owner;
    }

    private static Tensor borrowing(
            ElementType type, Shape shape, MemorySegment data, String @Nullable [] strings, @Nullable Tensor owner) {
        return new Tensor(type, shape, data, strings, null, false, null, owner);
    }

    /** Wraps memory that stays the caller's. The segment has at least the bytes that the shape needs. */
    public static Tensor wrap(ElementType type, Shape shape, MemorySegment data) {
        return borrowing(type, shape, fitting(type, shape, data), null, null);
    }

    /** Wraps memory and runs {@code release} once, when the tensor is closed and no run reads it any more. */
    public static Tensor owning(ElementType type, Shape shape, MemorySegment data, Runnable release) {
        return new Tensor(type, shape, fitting(type, shape, data), null, release, false, null, null);
    }

    /**
     * Wraps memory that is reused: {@code giveBack} runs once, when the tensor is closed and no run reads it any more.
     * It never runs after a caller has obtained {@link #segment()}, whose content then stays valid.
     */
    public static Tensor recycling(ElementType type, Shape shape, MemorySegment data, Runnable giveBack) {
        return new Tensor(type, shape, fitting(type, shape, data), null, giveBack, true, null, null);
    }

    /**
     * Returns a tensor whose content lies elsewhere than in memory that Java reads. Reading it copies it to the host once.
     * The content is freed when the tensor is closed and no run reads it any more.
     */
    public static Tensor remote(ElementType type, Shape shape, RemoteContent content) {
        return new Tensor(type, shape, MemorySegment.NULL, null, content::free, false, content, null);
    }

    /** The content that lies on a device; null where it lies on the host. */
    public @Nullable RemoteContent remoteContent() {
        return root().remote;
    }

    /** Returns a copy of this tensor at a place, such as a device; the caller closes both. */
    public Tensor on(TensorPlace place) {
        return place.copyOf(this);
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
        Tensor copy = allocate(other.type, other.shape);
        other.reading(() -> copy.data.copyFrom(other.content()));
        return copy;
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
        Elements.write(values, tensor.data);
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
            throw EngineException.invalidArgument("a tensor of " + type + ", shape " + shape + ", needs " + bytes
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
            throw type.isNotReadBy("segment()");
        }
        Tensor root = root();
        if (root.recycled && !root.handedOut) {
            // set before the read of closed: close() accesses these two in the opposite order
            root.handedOut = true;
        }
        checkOpen();
        return content();
    }

    private MemorySegment content() {
        RemoteContent elsewhere = root().remote;
        return elsewhere == null ? data : elsewhere.onHost();
    }

    /** Whether a thread may read the elements: memory of a confined arena belongs to one thread. */
    public boolean isReadableBy(Thread thread) {
        return strings != null || data.isAccessibleBy(thread);
    }

    /** The strings themselves, not a copy. */
    public String[] strings() {
        checkOpen();
        if (strings == null) {
            throw type.isNotReadBy("strings()");
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
            throw type.isNotReadBy("floats()");
        }
        float[] values = new float[arrayLength()];
        reading(() -> Elements.read(type, content(), 0, values, 0, values.length));
        return values;
    }

    /** All elements by value; for every floating type. */
    public double[] doubles() {
        if (!type.isFloating()) {
            throw type.isNotReadBy("doubles()");
        }
        double[] values = new double[arrayLength()];
        reading(() -> Elements.read(type, content(), 0, values, 0, values.length));
        return values;
    }

    /** All elements; for every integer type and bool. uint64 keeps its bits. */
    public long[] longs() {
        if (!type.isInteger() && type != ElementType.BOOL) {
            throw type.isNotReadBy("longs()");
        }
        long[] values = new long[arrayLength()];
        reading(() -> Elements.read(type, content(), 0, values, 0, values.length));
        return values;
    }

    /** All elements; for integer types of 32 bits and fewer, and bool. uint32 keeps its bits. */
    public int[] ints() {
        if (type.bits() > 32 || !type.isInteger() && type != ElementType.BOOL) {
            throw type.isNotReadBy("ints()");
        }
        return Elements.narrowed(longs());
    }

    public boolean[] booleans() {
        if (type != ElementType.BOOL) {
            throw type.isNotReadBy("booleans()");
        }
        return Elements.nonZero(longs());
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
        return root().release == null ? this : new Tensor(type, shape, data, strings, null, false, root().remote, null);
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
        if (data.equals(MemorySegment.NULL) && strings == null && root().remote == null) {
            return EngineException.invalidGraph("the elements of this " + this + " were not kept");
        }
        return new EngineException(
                Status.INVALID_ARGUMENT,
                "this " + this + " is closed; read it before close(), or keep a Tensor.copyOf it");
    }

    /** Returns type and shape, never the contents. */
    @Override
    public String toString() {
        return "tensor " + type + shape;
    }
}
