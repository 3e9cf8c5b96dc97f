package dev.millrace.graph.format;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.ByteLayouts;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * The typed fields of {@code TensorProto} ({@code float_data}, {@code int32_data} and so on), decoded. Nothing is
 * allocated that the bytes in the file cannot fill.
 */
final class TypedData {
    private TypedData() {}

    /** The tensor whose data is in {@code runs}, which the file may have split anywhere between two entries. */
    static Tensor decode(ElementType type, Shape shape, List<WireReader> runs) {
        return switch (type) {
            case FLOAT, COMPLEX64, DOUBLE, COMPLEX128 -> fixed(type, shape, runs);
            default -> varints(type, shape, runs);
        };
    }

    /** On the wire these are what they are in memory. */
    private static Tensor fixed(ElementType type, Shape shape, List<WireReader> runs) {
        long needed = TensorReader.bytes(type, shape);
        long count = remaining(runs);
        if (count != needed) {
            throw EngineException.invalidGraph(
                    "it holds " + count + " bytes of data, but " + type + shape + " takes " + needed);
        }
        if (runs.size() == 1) {
            return Tensor.wrap(type, shape, runs.getFirst().rest());
        }
        Tensor tensor = Tensor.allocate(type, shape);
        long at = 0;
        for (WireReader run : runs) {
            MemorySegment part = run.rest();
            MemorySegment.copy(part, 0, tensor.segment(), at, part.byteSize());
            at += part.byteSize();
        }
        return tensor;
    }

    private static long remaining(List<WireReader> runs) {
        long bytes = 0;
        for (WireReader run : runs) {
            bytes += run.remaining();
        }
        return bytes;
    }

    private static Tensor varints(ElementType type, Shape shape, List<WireReader> runs) {
        long entries = type.isPacked() ? TensorReader.bytes(type, shape) : shape.elements();
        long most = remaining(runs);
        if (entries > most) {
            throw EngineException.invalidGraph(
                    "it holds at most " + most + " entries of data, but " + type + shape + " takes " + entries);
        }
        Tensor tensor = Tensor.allocate(type, shape);
        long count = 0;
        for (WireReader run : runs) {
            for (; run.remaining() > 0; count++) {
                long entry = run.rawVarint();
                if (count < entries) {
                    store(type, tensor.segment(), count, entry);
                }
            }
        }
        if (count != entries) {
            throw EngineException.invalidGraph(
                    "it holds " + count + " entries of data, but " + type + shape + " takes " + entries);
        }
        return tensor;
    }

    /** Floating types lie in integer fields as their bits, packed types as their bytes. */
    private static void store(ElementType type, MemorySegment to, long index, long entry) {
        switch (type.bits()) {
            case 64 -> to.set(ByteLayouts.LONG, index * 8, entry);
            case 32 -> to.set(ByteLayouts.INT, index * 4, (int) entry);
            case 16 -> to.set(ByteLayouts.SHORT, index * 2, (short) entry);
            default -> to.set(ByteLayouts.BYTE, index, (byte) (type == ElementType.BOOL && entry != 0 ? 1 : entry));
        }
    }
}
