package dev.millrace.text.adapter;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** Adapters of ONNX Runtime: a flatbuffer with a table of the adapter and a table for each tensor. */
final class FlatAdapter {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final int IDENTIFIER = 'T' | 'O' << 8 | 'R' << 16 | 'T' << 24;
    /** The place of the parameters among the fields of an adapter. */
    private static final int PARAMETERS = 3;

    private static final int NAME = 0;
    private static final int DIMS = 1;
    private static final int TYPE = 2;
    private static final int DATA = 3;
    private static final int MOST_RANK = 64;

    private final MemorySegment content;

    private FlatAdapter(MemorySegment content) {
        this.content = content;
    }

    static boolean isOne(MemorySegment content) {
        return content.get(INT, Integer.BYTES) == IDENTIFIER;
    }

    static Map<String, Tensor> tensors(MemorySegment content) {
        var file = new FlatAdapter(content);
        Map<String, Tensor> tensors = new LinkedHashMap<>();
        long parameters = file.reference(file.field(file.reference(0), PARAMETERS, "parameters"));
        int count = content.get(INT, parameters);
        for (int i = 0; i < count; i++) {
            long parameter = file.reference(parameters + Integer.BYTES * (i + 1L));
            String name = file.text(file.field(parameter, NAME, "name"));
            AdapterFile.put(tensors, name, file.tensor(name, parameter), content.byteSize());
        }
        return tensors;
    }

    private Tensor tensor(String name, long parameter) {
        long type = optionalField(parameter, TYPE);
        long dims = optionalField(parameter, DIMS);
        long vector = dims < 0 ? -1 : reference(dims);
        int rank = vector < 0 ? 0 : content.get(INT, vector);
        if (rank < 0 || rank > MOST_RANK) {
            throw EngineException.invalidArgument("tensor '" + name + "' has " + rank + " dimensions");
        }
        long[] extents = new long[rank];
        for (int i = 0; i < rank; i++) {
            extents[i] = content.get(LONG, vector + Integer.BYTES + (long) Long.BYTES * i);
        }
        long data = reference(field(parameter, DATA, "raw_data"));
        long bytes = Integer.toUnsignedLong(content.get(INT, data));
        return AdapterFile.tensor(
                name,
                type(name, type < 0 ? 0 : content.get(INT, type)),
                extents,
                content.asSlice(data + Integer.BYTES, bytes));
    }

    private static ElementType type(String name, int code) {
        ElementType type = ElementType.ofCode(code);
        if (type == null) {
            throw EngineException.invalidArgument("tensor '" + name + "' has the unknown type " + code);
        }
        return type;
    }

    /** Returns the place that an offset leads to. */
    private long reference(long at) {
        return at + Integer.toUnsignedLong(content.get(INT, at));
    }

    private long field(long table, int index, String name) {
        long field = optionalField(table, index);
        if (field < 0) {
            throw EngineException.invalidArgument("the file is damaged: a table has no " + name);
        }
        return field;
    }

    /** Returns the place of a field of a table; negative if the table lacks it. */
    private long optionalField(long table, int index) {
        long fields = table - content.get(INT, table);
        int size = Short.toUnsignedInt(content.get(SHORT, fields));
        int entry = 2 * Short.BYTES + Short.BYTES * index;
        int offset = entry < size ? Short.toUnsignedInt(content.get(SHORT, fields + entry)) : 0;
        return offset == 0 ? -1 : table + offset;
    }

    private String text(long field) {
        long at = reference(field);
        long length = Integer.toUnsignedLong(content.get(INT, at));
        byte[] bytes = content.asSlice(at + Integer.BYTES, length).toArray(ValueLayout.JAVA_BYTE);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
