package dev.millrace.graph.format;

import com.google.protobuf.CodedOutputStream;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.proto.GraphProto;
import dev.millrace.graph.proto.ModelProto;
import dev.millrace.graph.proto.TensorProto;
import dev.millrace.graph.tensor.ByteLayouts;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * A model ready to be written. The large tensors of its main graph are in no message: they go from their memory
 * straight into the file, at the end of the graph.
 */
final class ModelImage {
    private static final int WIRE_TYPE_LENGTH = 2;
    private static final int CHUNK = 1 << 16;

    private final ModelProto withoutGraph;
    private final GraphProto graph;
    private final List<Large> tensors;
    private final long graphSize;

    /** A tensor whose message lacks only its {@code raw_data}. */
    record Large(TensorProto header, MemorySegment raw) {
        private long size() {
            return header.getSerializedSize() + fieldSize(TensorProto.RAW_DATA_FIELD_NUMBER, raw.byteSize());
        }
    }

    ModelImage(ModelProto withoutGraph, GraphProto graph, List<Large> tensors) {
        this.withoutGraph = withoutGraph;
        this.graph = graph;
        this.tensors = tensors;
        long size = graph.getSerializedSize();
        for (Large tensor : tensors) {
            size += fieldSize(GraphProto.INITIALIZER_FIELD_NUMBER, tensor.size());
        }
        this.graphSize = size;
        refuseBeyondLimit(size());
    }

    /** Refuses sizes that protobuf cannot count. */
    static void refuseBeyondLimit(long bytes) {
        if (bytes > Integer.MAX_VALUE) {
            throw EngineException.invalidArgument(
                    "the model takes more than 2 GB, which no ONNX file can hold; write it"
                            + " with WriteOptions.externalData so that its tensors stand in a file beside it");
        }
    }

    long size() {
        return withoutGraph.getSerializedSize() + fieldSize(ModelProto.GRAPH_FIELD_NUMBER, graphSize);
    }

    byte[] toBytes() {
        byte[] bytes = new byte[Math.toIntExact(size())];
        try {
            writeTo(CodedOutputStream.newInstance(bytes));
        } catch (IOException e) {
            throw new IllegalStateException("an array of the right size is never full", e);
        }
        return bytes;
    }

    void writeTo(CodedOutputStream out) throws IOException {
        withoutGraph.writeTo(out);
        openField(out, ModelProto.GRAPH_FIELD_NUMBER, graphSize);
        graph.writeTo(out);
        byte[] chunk = new byte[CHUNK];
        for (Large tensor : tensors) {
            openField(out, GraphProto.INITIALIZER_FIELD_NUMBER, tensor.size());
            tensor.header.writeTo(out);
            openField(out, TensorProto.RAW_DATA_FIELD_NUMBER, tensor.raw.byteSize());
            for (long at = 0; at < tensor.raw.byteSize(); at += CHUNK) {
                int length = (int) Math.min(CHUNK, tensor.raw.byteSize() - at);
                MemorySegment.copy(tensor.raw, ByteLayouts.BYTE, at, chunk, 0, length);
                out.writeRawBytes(chunk, 0, length);
            }
        }
        out.flush();
    }

    private static void openField(CodedOutputStream out, int field, long size) throws IOException {
        out.writeTag(field, WIRE_TYPE_LENGTH);
        out.writeUInt64NoTag(size);
    }

    private static long fieldSize(int field, long size) {
        return CodedOutputStream.computeTagSize(field) + CodedOutputStream.computeUInt64SizeNoTag(size) + size;
    }
}
