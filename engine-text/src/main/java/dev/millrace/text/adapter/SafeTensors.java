package dev.millrace.text.adapter;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.text.json.Json;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The format safetensors: the length of a header, the header in JSON, and the bytes of the tensors. */
final class SafeTensors {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final String METADATA = "__metadata__";
    private static final Map<String, ElementType> TYPES = Map.ofEntries(
            Map.entry("F64", ElementType.DOUBLE),
            Map.entry("F32", ElementType.FLOAT),
            Map.entry("F16", ElementType.FLOAT16),
            Map.entry("BF16", ElementType.BFLOAT16),
            Map.entry("I64", ElementType.INT64),
            Map.entry("I32", ElementType.INT32),
            Map.entry("I16", ElementType.INT16),
            Map.entry("I8", ElementType.INT8),
            Map.entry("U64", ElementType.UINT64),
            Map.entry("U32", ElementType.UINT32),
            Map.entry("U16", ElementType.UINT16),
            Map.entry("U8", ElementType.UINT8),
            Map.entry("BOOL", ElementType.BOOL));

    private SafeTensors() {}

    static Map<String, Tensor> tensors(MemorySegment content) {
        long length = content.get(LONG, 0);
        if (length < 2 || length > Math.min(Json.MOST_BYTES, content.byteSize() - Long.BYTES)) {
            throw EngineException.invalidArgument("the file is neither an adapter of ONNX Runtime nor safetensors");
        }
        Json header = Json.parse(content.asSlice(Long.BYTES, length).toArray(ValueLayout.JAVA_BYTE), "the header");
        MemorySegment data = content.asSlice(Long.BYTES + length);
        Map<String, Tensor> tensors = new LinkedHashMap<>();
        header.properties().forEach((name, entry) -> {
            if (!name.equals(METADATA)) {
                AdapterFile.put(tensors, name, tensor(name, entry, data), data.byteSize());
            }
        });
        return tensors;
    }

    private static Tensor tensor(String name, Json entry, MemorySegment data) {
        ElementType type = TYPES.get(entry.get("dtype").text());
        if (type == null) {
            throw entry.refused("the type '" + entry.get("dtype").text() + "' is none of "
                    + TYPES.keySet().stream().sorted().toList());
        }
        long[] dims = entry.get("shape").elements().stream()
                .mapToLong(SafeTensors::whole)
                .toArray();
        List<Json> offsets = entry.get("data_offsets").elements();
        if (offsets.size() != 2) {
            throw entry.refused("data_offsets are two numbers");
        }
        long from = whole(offsets.getFirst());
        return AdapterFile.tensor(name, type, dims, data.asSlice(from, whole(offsets.getLast()) - from));
    }

    private static long whole(Json number) {
        double value = number.number();
        if (value < 0 || value != Math.rint(value) || value > 1L << 53) {
            throw number.refused(value + " is no count");
        }
        return (long) value;
    }
}
