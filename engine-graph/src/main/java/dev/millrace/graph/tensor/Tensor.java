package dev.millrace.graph.tensor;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * An element type, a shape, and memory. Elements lie row-major, little-endian, packed as ONNX packs them.
 *
 * <p>{@code wrap} borrows memory, {@code copyOf} and {@code allocate} own it. Closing is idempotent; a closed tensor
 * refuses access, and so do its views; a tensor that is never closed is reclaimed by the garbage collector. Reading is
 * safe from any thread, also while another one closes; writing through {@link #segment()} is the caller's business.
 */
public final class Tensor implements Datum {
    /** The bit of {@link #holders} that says that nobody new may hold the memory. */
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

    /** A tensor over memory that stays the caller's. The segment holds at least the bytes that the shape needs. */
    public static Tensor wrap(ElementType type, Shape shape, MemorySegment data) {
        return borrowing(type, shape, fitting(type, shape, data), null, null);
    }

    /** A tensor that runs {@code release} once, when it is closed and no run reads it any more. */
    public static Tensor owning(ElementType type, Shape shape, MemorySegment data, Runnable release) {
        return new Tensor(type, shape, fitting(type, shape, data), null, release, false, null);
    }

    /**
     * A tensor whose memory is used again: {@code giveBack} runs once, when it is closed and no run reads it any more,
     * but never where somebody has got {@link #segment()}, whose content stays what it is.
     */
    public static Tensor recycling(ElementType type, Shape shape, MemorySegment data, Runnable giveBack) {
        return new Tensor(type, shape, fitting(type, shape, data), null, giveBack, true, null);
    }

    /** A tensor of which only type and shape are there: it refuses access as a closed one does. */
    public static Tensor absent(ElementType type, Shape shape) {
        Tensor tensor = borrowing(type, shape, MemorySegment.NULL, null, null);
        tensor.closed = true;
        return tensor;
    }

    /** Fresh zeroed memory, reclaimed by the garbage collector. Strings start empty. */
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
            other.letGo();
        }
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
     * The memory, exactly as long as the elements need. What a run returned keeps its content while somebody has it: where
     * the same memory is to serve run after run, read by value. What somebody brought is valid as long as its owner says.
     */
    public MemorySegment segment() {
        if (strings != null) {
            throw wrongType("segment()");
        }
        Tensor root = root();
        if (root.recycled && !root.handedOut) {
            // before the look at closed: whoever closes looks at these two the other way round
            root.handedOut = true;
        }
        checkOpen();
        return data;
    }

    /** Whether a thread may read the elements: a confined arena is its own thread's alone. */
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
            letGo();
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
     * The same memory under another shape with as many elements. The view does not own it: closing the view closes
     * nothing else, and closing this tensor closes the view.
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
     * This tensor for the length of a run: the memory of what comes back stays as it is until {@link #letGo()}, also when
     * this tensor is closed meanwhile. Throws where it is closed already.
     */
    public Tensor hold() {
        pin();
        return root().release == null ? this : borrowing(type, shape, data, strings, null);
    }

    /** Ends what {@link #hold()} began, once each. */
    public void letGo() {
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

    /** Type and shape, never the contents. */
    @Override
    public String toString() {
        return "tensor " + type + shape;
    }
}
