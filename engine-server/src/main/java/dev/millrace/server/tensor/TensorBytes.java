package dev.millrace.server.tensor;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Consumer;

/**
 * The binary form of tensors: little-endian elements in row-major order. A text has its length in four bytes before its
 * UTF-8.
 */
public final class TensorBytes {
    private static final int LENGTH_BYTES = Integer.BYTES;
    private static final long MOST_ELEMENTS = 1L << 40;

    private TensorBytes() {}

    /** Returns a tensor with a copy of these bytes. */
    public static Tensor read(String place, ElementType type, Shape shape, ByteBuffer bytes) {
        return read(place, type, shape, bytes.remaining(), target -> target.put(bytes));
    }

    /**
     * Returns a tensor of bytes that lie anywhere.
     *
     * @param size the number of bytes
     * @param source fills the buffer that it is given, which has room for all bytes
     */
    public static Tensor read(String place, ElementType type, Shape shape, long size, Consumer<ByteBuffer> source) {
        if (type == ElementType.STRING) {
            ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(size));
            source.accept(bytes);
            bytes.flip();
            return Tensor.ofStrings(shape, texts(place, count(place, shape, bytes), bytes));
        }
        check(place, type, shape, size);
        return InputMemory.filled(type, shape, content -> source.accept(content.asByteBuffer()));
    }

    /** Returns a shape of a request; refuses extents that are negative or have no product. */
    public static Shape shape(String place, List<Long> extents) {
        long elements = 1;
        for (long extent : extents) {
            if (extent < 0 || extent > 0 && elements > MOST_ELEMENTS / extent) {
                throw EngineException.invalidArgument(place + " has the shape " + extents
                        + "; extents are not negative, and their product is at most " + MOST_ELEMENTS);
            }
            elements *= extent;
        }
        return Shape.of(extents);
    }

    /** Refuses a number of bytes that the shape does not have. */
    public static void check(String place, ElementType type, Shape shape, long bytes) {
        long needed = type.bytes(shape.elements());
        if (bytes != needed) {
            throw EngineException.invalidArgument(
                    place + " has " + bytes + " bytes of data; " + type.onnxName() + shape + " has " + needed);
        }
    }

    /** Refuses more texts than the bytes can hold, before memory is allocated for them. */
    private static int count(String place, Shape shape, ByteBuffer bytes) {
        if (shape.elements() > bytes.remaining() / LENGTH_BYTES) {
            throw EngineException.invalidArgument(
                    place + " has " + bytes.remaining() + " bytes of data, too few for " + shape.elements() + " texts");
        }
        return (int) shape.elements();
    }

    private static String[] texts(String place, int count, ByteBuffer bytes) {
        ByteBuffer rest = bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        String[] texts = new String[count];
        for (int i = 0; i < count; i++) {
            int length = rest.remaining() < LENGTH_BYTES ? -1 : rest.getInt();
            if (length < 0 || length > rest.remaining()) {
                throw EngineException.invalidArgument(
                        place + ": text " + i + " does not end within the " + bytes.remaining() + " bytes of data");
            }
            texts[i] = text(place, rest.slice(rest.position(), length));
            rest.position(rest.position() + length);
        }
        if (rest.hasRemaining()) {
            throw EngineException.invalidArgument(
                    place + " has " + rest.remaining() + " bytes of data after its " + count + " texts");
        }
        return texts;
    }

    /** Decodes UTF-8; refuses other bytes, which a text of ONNX cannot have. */
    public static String text(String place, ByteBuffer utf8) {
        try {
            CharBuffer decoded = StandardCharsets.UTF_8.newDecoder().decode(utf8);
            return decoded.toString();
        } catch (CharacterCodingException e) {
            throw new EngineException(
                    Status.INVALID_ARGUMENT,
                    place + " has a text that is no UTF-8; encode other bytes, for example as base64",
                    e);
        }
    }

    /** Returns the number of bytes of a tensor's binary form. */
    public static long size(Tensor tensor) {
        if (tensor.type() != ElementType.STRING) {
            return tensor.type().bytes(tensor.elements());
        }
        long size = 0;
        for (String text : tensor.strings()) {
            size += LENGTH_BYTES + text.getBytes(StandardCharsets.UTF_8).length;
        }
        return size;
    }

    /** Gives the binary form of a tensor to a reader, which copies it. The tensor's memory stays its owner's. */
    public static void write(Tensor tensor, Consumer<ByteBuffer> reader) {
        if (tensor.type() == ElementType.STRING) {
            reader.accept(texts(tensor));
            return;
        }
        Tensor held = tensor.retain();
        try {
            reader.accept(held.segment().asByteBuffer());
        } finally {
            tensor.release();
        }
    }

    private static ByteBuffer texts(Tensor tensor) {
        ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(size(tensor))).order(ByteOrder.LITTLE_ENDIAN);
        for (String each : tensor.strings()) {
            byte[] text = each.getBytes(StandardCharsets.UTF_8);
            bytes.putInt(text.length).put(text);
        }
        return bytes.flip();
    }
}
