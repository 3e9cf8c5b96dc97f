package ai.onnxruntime;

import ai.onnxruntime.platform.Fp16Conversions;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.onnxruntime.Buffers;
import dev.millrace.onnxruntime.NestedRows;
import java.lang.reflect.Array;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A dense tensor. Tensors of direct buffers in native order share the memory of the buffer; tensors of other buffers and
 * of arrays have a copy of their own. Closing twice has no effect.
 */
public class OnnxTensor extends OnnxTensorLike {
    private final Tensor tensor;
    /** The buffer that has the memory; null for none. */
    private final @Nullable Buffer buffer;

    private final boolean ownsBuffer;

    private OnnxTensor(Tensor tensor, TensorInfo info, @Nullable Buffer buffer, boolean ownsBuffer) {
        super(info);
        this.tensor = tensor;
        this.buffer = buffer;
        this.ownsBuffer = ownsBuffer;
    }

    /** Returns a value over an output of a run, which it closes. */
    static OnnxTensor ofOutput(Tensor tensor) {
        return new OnnxTensor(tensor, TensorInfo.of(tensor), null, false);
    }

    @Override
    Tensor dense() {
        return tensor;
    }

    /** Takes the strings of an output of a run; throws if there are none, or if their shape differs. */
    void takeStrings(String name, Datum output) throws OrtException {
        if (!(output instanceof Tensor made)
                || made.type() != ElementType.STRING
                || !made.shape().equals(tensor.shape())) {
            throw Errors.invalidArgument("Output '" + name + "' is a " + output + ", which does not fit " + this);
        }
        System.arraycopy(made.strings(), 0, tensor.strings(), 0, made.strings().length);
    }

    /** Returns whether {@link #getBufferRef()} is a buffer that this class has made. */
    public boolean ownsBuffer() {
        return ownsBuffer;
    }

    /**
     * Returns a buffer over the memory of this tensor, a new one at each call and in native order; empty for outputs of
     * runs, for strings, and beyond 2 GB.
     */
    public Optional<Buffer> getBufferRef() {
        return Optional.ofNullable(buffer).map(Buffers::view);
    }

    @Override
    public OnnxValueType getType() {
        return OnnxValueType.ONNX_TYPE_TENSOR;
    }

    /** Returns a copy: nested arrays, or a box for a scalar. 16-bit floats become floats, unsigned integers signed ones. */
    @Override
    public Object getValue() throws OrtException {
        checkClosed();
        if (info.type == OnnxJavaType.STRING) {
            String[] strings = tensor.strings();
            return info.isScalar() ? strings[0] : OrtUtil.reshape(strings, info.getShape());
        }
        if (info.isScalar() && info.type != OnnxJavaType.UNKNOWN) {
            boolean isHalf = info.type == OnnxJavaType.FLOAT16 || info.type == OnnxJavaType.BFLOAT16;
            return Array.get(read(Array.newInstance(isHalf ? float.class : info.type.clazz, 1)), 0);
        }
        return read(info.makeCarrier());
    }

    /** Reads all elements into nested arrays, without keeping the memory from being used again. */
    private Object read(Object array) {
        Tensor held = retained();
        try {
            NestedRows.read(held.segment(), tensor.type(), 0, array);
            return array;
        } finally {
            tensor.release();
        }
    }

    private synchronized Tensor retained() {
        checkClosed();
        return tensor.retain();
    }

    private int count() {
        return Math.toIntExact(tensor.elements());
    }

    @Override
    public String toString() {
        return "OnnxTensor(info=" + info + ",closed=" + isClosed() + ")";
    }

    @Override
    public synchronized void close() {
        closed = true;
        tensor.close();
    }

    /** Returns a copy of the bytes, in native order; null for strings. */
    public @Nullable ByteBuffer getByteBuffer() {
        checkClosed();
        if (info.type == OnnxJavaType.STRING) {
            return null;
        }
        Tensor held = retained();
        try {
            byte[] bytes = new byte[Math.toIntExact(held.segment().byteSize())];
            held.segment().asByteBuffer().get(bytes);
            return ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
        } finally {
            tensor.release();
        }
    }

    /** Returns a copy as floats; null if this tensor has neither floats nor 16-bit floats. */
    public @Nullable FloatBuffer getFloatBuffer() {
        checkClosed();
        return switch (info.type) {
            case FLOAT -> FloatBuffer.wrap((float[]) read(new float[count()]));
            case FLOAT16 -> Fp16Conversions.convertFp16BufferToFloatBuffer(shorts());
            case BFLOAT16 -> Fp16Conversions.convertBf16BufferToFloatBuffer(shorts());
            default -> null;
        };
    }

    /** Returns a copy as doubles; null if this tensor has no doubles. */
    public @Nullable DoubleBuffer getDoubleBuffer() {
        checkClosed();
        return info.type == OnnxJavaType.DOUBLE ? DoubleBuffer.wrap((double[]) read(new double[count()])) : null;
    }

    /** Returns a copy of 16-bit integers or of the bits of 16-bit floats; null if this tensor has neither. */
    public @Nullable ShortBuffer getShortBuffer() {
        checkClosed();
        return switch (info.type) {
            case INT16, FLOAT16, BFLOAT16 -> shorts();
            default -> null;
        };
    }

    private ShortBuffer shorts() {
        return ShortBuffer.wrap((short[]) read(new short[count()]));
    }

    /** Returns a copy as 32-bit integers; null if this tensor has none. */
    public @Nullable IntBuffer getIntBuffer() {
        checkClosed();
        return info.type == OnnxJavaType.INT32 ? IntBuffer.wrap((int[]) read(new int[count()])) : null;
    }

    /** Returns a copy as 64-bit integers; null if this tensor has none. */
    public @Nullable LongBuffer getLongBuffer() {
        checkClosed();
        return info.type == OnnxJavaType.INT64 ? LongBuffer.wrap((long[]) read(new long[count()])) : null;
    }

    /** Creates a tensor of the elements of nested arrays, or of a box or a string as a scalar. */
    public static OnnxTensor createTensor(OrtEnvironment env, Object data) throws OrtException {
        Objects.requireNonNull(env, "env");
        TensorInfo info = TensorInfo.constructFromJavaArray(data);
        if (info.type == OnnxJavaType.STRING) {
            String[] strings = info.isScalar() ? new String[] {(String) data} : OrtUtil.flattenString(data);
            return ofStrings(strings, info);
        }
        if (info.type == OnnxJavaType.UNKNOWN) {
            throw new IllegalArgumentException(
                    "No tensor is made from a " + data.getClass().getSimpleName());
        }
        Tensor tensor = Errors.translated(() -> Tensor.allocate(info.onnxType.element(), Shape.of(info.getShape())));
        NestedRows.write(info.isScalar() ? arrayOf(data, info) : data, tensor.segment(), 0);
        return owning(tensor, info);
    }

    private static OnnxTensor owning(Tensor tensor, TensorInfo info) {
        boolean fitsBuffer = tensor.segment().byteSize() <= Integer.MAX_VALUE;
        return new OnnxTensor(tensor, info, fitsBuffer ? Buffers.over(tensor) : null, true);
    }

    private static Object arrayOf(Object box, TensorInfo info) {
        Object array = Array.newInstance(info.type.clazz, 1);
        Array.set(array, 0, box);
        return array;
    }

    private static OnnxTensor ofStrings(String[] strings, TensorInfo info) throws OrtException {
        for (String each : strings) {
            Objects.requireNonNull(each, "a string of a tensor");
        }
        return new OnnxTensor(
                Errors.translated(() -> Tensor.ofStrings(Shape.of(info.getShape()), strings)), info, null, false);
    }

    /** Creates a tensor of strings in row-major order. */
    public static OnnxTensor createTensor(OrtEnvironment env, String[] data, long[] shape) throws OrtException {
        Objects.requireNonNull(env, "env");
        if (Arrays.stream(shape).anyMatch(extent -> extent < 0)) {
            throw new OrtException(
                    OrtException.OrtErrorCode.ORT_FAIL,
                    "The shape " + Arrays.toString(shape) + " has a negative extent");
        }
        if (OrtUtil.elementCount(shape) != data.length) {
            throw Errors.invalidArgument(data.length + " strings do not fill the shape " + Arrays.toString(shape));
        }
        Tensor tensor = Errors.translated(() -> Tensor.ofStrings(Shape.of(shape), data.clone()));
        return ofStrings(tensor.strings(), TensorInfo.of(tensor));
    }

    public static OnnxTensor createTensor(OrtEnvironment env, FloatBuffer data, long[] shape) throws OrtException {
        return ofBuffer(env, data, shape, OnnxJavaType.FLOAT);
    }

    public static OnnxTensor createTensor(OrtEnvironment env, DoubleBuffer data, long[] shape) throws OrtException {
        return ofBuffer(env, data, shape, OnnxJavaType.DOUBLE);
    }

    public static OnnxTensor createTensor(OrtEnvironment env, ByteBuffer data, long[] shape) throws OrtException {
        return ofBuffer(env, data, shape, OnnxJavaType.INT8);
    }

    /** Creates a tensor of elements of any type but string, as their bytes in native order. */
    public static OnnxTensor createTensor(OrtEnvironment env, ByteBuffer data, long[] shape, OnnxJavaType type)
            throws OrtException {
        return ofBuffer(env, data, shape, type);
    }

    public static OnnxTensor createTensor(OrtEnvironment env, ShortBuffer data, long[] shape) throws OrtException {
        return ofBuffer(env, data, shape, OnnxJavaType.INT16);
    }

    /** Creates a tensor of 16-bit integers, or of the bits of 16-bit floats. */
    public static OnnxTensor createTensor(OrtEnvironment env, ShortBuffer data, long[] shape, OnnxJavaType type)
            throws OrtException {
        if (type != OnnxJavaType.INT16 && type != OnnxJavaType.FLOAT16 && type != OnnxJavaType.BFLOAT16) {
            throw new IllegalArgumentException("A ShortBuffer has INT16, FLOAT16 or BFLOAT16, not " + type);
        }
        return ofBuffer(env, data, shape, type);
    }

    public static OnnxTensor createTensor(OrtEnvironment env, IntBuffer data, long[] shape) throws OrtException {
        return ofBuffer(env, data, shape, OnnxJavaType.INT32);
    }

    public static OnnxTensor createTensor(OrtEnvironment env, LongBuffer data, long[] shape) throws OrtException {
        return ofBuffer(env, data, shape, OnnxJavaType.INT64);
    }

    private static OnnxTensor ofBuffer(OrtEnvironment env, Buffer data, long[] shape, OnnxJavaType type)
            throws OrtException {
        Objects.requireNonNull(env, "env");
        if (type == OnnxJavaType.STRING || type == OnnxJavaType.UNKNOWN) {
            throw new IllegalStateException("No buffer has elements of type " + type);
        }
        TensorInfo info = TensorInfo.constructFromBuffer(data, shape, type);
        ElementType element = info.onnxType.element();
        if (Buffers.isShareable(data)) {
            Tensor tensor = Errors.translated(() -> Buffers.shared(data, element, Shape.of(shape)));
            return new OnnxTensor(tensor, info, Buffers.view(data), false);
        }
        Tensor tensor = Errors.translated(() -> Buffers.copied(data, element, Shape.of(shape)));
        return owning(tensor, info);
    }
}
