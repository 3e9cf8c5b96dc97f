package dev.millrace.flink;

import dev.millrace.graph.tensor.ElementType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.GenericArrayData;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeRoot;

/**
 * An element type of tensors and the SQL type that has its values: a row of the table of all such pairs.
 *
 * @param sql the type in SQL
 * @param put writes a value of SQL to an index of a tensor's memory
 * @param get reads a value of SQL from an index of a tensor's memory
 * @param putAll writes an array of SQL to a tensor's memory, from an index
 * @param getAll reads an array of SQL from a tensor's memory: an index and a length
 */
record ElementMapping(ElementType element, LogicalTypeRoot sql, Put put, Get get, PutAll putAll, GetAll getAll) {
    interface Put {
        void put(MemorySegment memory, long index, Object value);
    }

    interface Get {
        Object get(MemorySegment memory, long index);
    }

    interface PutAll {
        void putAll(MemorySegment memory, long index, ArrayData values);
    }

    interface GetAll {
        ArrayData getAll(MemorySegment memory, long index, int length);
    }

    private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    private static final ValueLayout.OfDouble DOUBLE = ValueLayout.JAVA_DOUBLE_UNALIGNED;

    private static final int MOST_UINT8 = 0xFF;
    private static final int MOST_UINT16 = 0xFFFF;
    private static final long MOST_UINT32 = 0xFFFF_FFFFL;

    private static final List<ElementMapping> ALL = List.of(
            new ElementMapping(
                    ElementType.FLOAT,
                    LogicalTypeRoot.FLOAT,
                    (memory, i, value) -> memory.setAtIndex(FLOAT, i, (Float) value),
                    (memory, i) -> memory.getAtIndex(FLOAT, i),
                    (memory, i, values) ->
                            MemorySegment.copy(values.toFloatArray(), 0, memory, FLOAT, i * Float.BYTES, values.size()),
                    (memory, i, length) ->
                            new GenericArrayData(part(memory, i, length, FLOAT).toArray(FLOAT))),
            new ElementMapping(
                    ElementType.DOUBLE,
                    LogicalTypeRoot.DOUBLE,
                    (memory, i, value) -> memory.setAtIndex(DOUBLE, i, (Double) value),
                    (memory, i) -> memory.getAtIndex(DOUBLE, i),
                    (memory, i, values) -> MemorySegment.copy(
                            values.toDoubleArray(), 0, memory, DOUBLE, i * Double.BYTES, values.size()),
                    (memory, i, length) ->
                            new GenericArrayData(part(memory, i, length, DOUBLE).toArray(DOUBLE))),
            new ElementMapping(
                    ElementType.INT64,
                    LogicalTypeRoot.BIGINT,
                    (memory, i, value) -> memory.setAtIndex(LONG, i, (Long) value),
                    (memory, i) -> memory.getAtIndex(LONG, i),
                    (memory, i, values) ->
                            MemorySegment.copy(values.toLongArray(), 0, memory, LONG, i * Long.BYTES, values.size()),
                    (memory, i, length) ->
                            new GenericArrayData(part(memory, i, length, LONG).toArray(LONG))),
            new ElementMapping(
                    ElementType.INT32,
                    LogicalTypeRoot.INTEGER,
                    (memory, i, value) -> memory.setAtIndex(INT, i, (Integer) value),
                    (memory, i) -> memory.getAtIndex(INT, i),
                    (memory, i, values) ->
                            MemorySegment.copy(values.toIntArray(), 0, memory, INT, i * Integer.BYTES, values.size()),
                    (memory, i, length) ->
                            new GenericArrayData(part(memory, i, length, INT).toArray(INT))),
            oneByOne(
                    ElementType.INT16,
                    LogicalTypeRoot.SMALLINT,
                    (memory, i, value) -> memory.setAtIndex(SHORT, i, (Short) value),
                    (memory, i) -> memory.getAtIndex(SHORT, i)),
            oneByOne(
                    ElementType.INT8,
                    LogicalTypeRoot.TINYINT,
                    (memory, i, value) -> memory.setAtIndex(BYTE, i, (Byte) value),
                    (memory, i) -> memory.getAtIndex(BYTE, i)),
            oneByOne(
                    ElementType.BOOL,
                    LogicalTypeRoot.BOOLEAN,
                    (memory, i, value) -> memory.setAtIndex(BYTE, i, (byte) ((Boolean) value ? 1 : 0)),
                    (memory, i) -> memory.getAtIndex(BYTE, i) != 0),
            oneByOne(
                    ElementType.UINT8,
                    LogicalTypeRoot.SMALLINT,
                    (memory, i, value) -> memory.setAtIndex(BYTE, i, (byte) unsigned((Short) value, MOST_UINT8)),
                    (memory, i) -> (short) Byte.toUnsignedInt(memory.getAtIndex(BYTE, i))),
            oneByOne(
                    ElementType.UINT16,
                    LogicalTypeRoot.INTEGER,
                    (memory, i, value) -> memory.setAtIndex(SHORT, i, (short) unsigned((Integer) value, MOST_UINT16)),
                    (memory, i) -> Short.toUnsignedInt(memory.getAtIndex(SHORT, i))),
            oneByOne(
                    ElementType.UINT32,
                    LogicalTypeRoot.BIGINT,
                    (memory, i, value) -> memory.setAtIndex(INT, i, (int) unsigned((Long) value, MOST_UINT32)),
                    (memory, i) -> Integer.toUnsignedLong(memory.getAtIndex(INT, i))),
            oneByOne(
                    ElementType.FLOAT16,
                    LogicalTypeRoot.FLOAT,
                    (memory, i, value) -> memory.setAtIndex(SHORT, i, Float.floatToFloat16((Float) value)),
                    (memory, i) -> Float.float16ToFloat(memory.getAtIndex(SHORT, i))));

    /** Returns the mapping of an element type whose arrays are written and read value by value. */
    private static ElementMapping oneByOne(ElementType element, LogicalTypeRoot sql, Put put, Get get) {
        ArrayData.ElementGetter getter = getter(sql);
        return new ElementMapping(
                element,
                sql,
                put,
                get,
                (memory, index, values) -> {
                    for (int i = 0; i < values.size(); i++) {
                        put.put(memory, index + i, Objects.requireNonNull(getter.getElementOrNull(values, i)));
                    }
                },
                (memory, index, length) -> {
                    Object[] all = new Object[length];
                    for (int i = 0; i < length; i++) {
                        all[i] = get.get(memory, index + i);
                    }
                    return new GenericArrayData(all);
                });
    }

    private static ArrayData.ElementGetter getter(LogicalTypeRoot sql) {
        return switch (sql) {
            case BOOLEAN -> ArrayData::getBoolean;
            case TINYINT -> ArrayData::getByte;
            case SMALLINT -> ArrayData::getShort;
            case INTEGER -> ArrayData::getInt;
            case BIGINT -> ArrayData::getLong;
            default -> ArrayData::getFloat;
        };
    }

    private static MemorySegment part(MemorySegment memory, long index, int length, ValueLayout layout) {
        return memory.asSlice(index * layout.byteSize(), length * layout.byteSize());
    }

    private static long unsigned(long value, long most) {
        if (value < 0 || value > most) {
            throw new IllegalArgumentException("has the value " + value + "; the model takes 0 to " + most);
        }
        return value;
    }

    /** Returns the mapping of an element type; empty for one that SQL has no type for, and for strings. */
    static Optional<ElementMapping> of(ElementType element) {
        return ALL.stream().filter(each -> each.element == element).findFirst();
    }

    boolean suits(LogicalType type) {
        return type.getTypeRoot() == sql;
    }
}
