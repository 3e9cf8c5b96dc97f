package dev.millrace.graph.format;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.proto.StringStringEntryProto;
import dev.millrace.graph.proto.TensorProto;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * Makes {@code TensorProto}. The messages refer to the tensors' memory; bytes move only when the message, or the file of
 * external data, is written out.
 */
final class TensorWriter {
    private static final long ALIGNMENT = 64;
    private static final int CHUNK = 1 << 28;

    private final WriteOptions options;
    private final List<Placed> placed = new ArrayList<>();
    private final Map<Tensor, Long> offsets = new IdentityHashMap<>();
    private long externalBytes;
    private long inlineBytes;

    private record Placed(long offset, MemorySegment bytes) {}

    TensorWriter(WriteOptions options) {
        this.options = options;
    }

    /** Bytes of tensors that stand in the messages themselves. */
    long inlineBytes() {
        return inlineBytes;
    }

    boolean usesExternalFile() {
        return !placed.isEmpty();
    }

    TensorProto initializer(String name, Tensor tensor) {
        String file = options.externalFile();
        if (file == null
                || tensor.type() == ElementType.STRING
                || tensor.segment().byteSize() < Math.max(options.externalFrom(), 1)) {
            return inline(name, tensor);
        }
        return header(name, tensor)
                .setDataLocation(TensorProto.DataLocation.EXTERNAL)
                .addExternalData(entry("location", file))
                .addExternalData(entry("offset", Long.toString(place(tensor))))
                .addExternalData(entry("length", Long.toString(tensor.segment().byteSize())))
                .build();
    }

    TensorProto inline(String name, Tensor tensor) {
        TensorProto.Builder proto = header(name, tensor);
        if (tensor.type() == ElementType.STRING) {
            for (String text : tensor.strings()) {
                ByteString bytes = ByteString.copyFromUtf8(text);
                inlineBytes += bytes.size();
                proto.addStringData(bytes);
            }
        } else {
            inlineBytes += tensor.segment().byteSize();
            checkInlineSize(inlineBytes);
            proto.setRawData(
                    UnsafeByteOperations.unsafeWrap(tensor.segment().asReadOnly().asByteBuffer()));
        }
        return proto.build();
    }

    /** Refuses sizes that protobuf cannot count. */
    static void checkInlineSize(long bytes) {
        if (bytes > Integer.MAX_VALUE) {
            throw EngineException.invalidArgument("the model takes more than 2 GB, which no ONNX file can hold; write it"
                    + " with WriteOptions.externalData so that its tensors stand in a file beside it");
        }
    }

    private static TensorProto.Builder header(String name, Tensor tensor) {
        var proto = TensorProto.newBuilder().setDataType(tensor.type().code());
        if (!name.isEmpty()) {
            proto.setName(name);
        }
        for (long extent : tensor.shape().toArray()) {
            proto.addDims(extent);
        }
        return proto;
    }

    private long place(Tensor tensor) {
        return offsets.computeIfAbsent(tensor, _ -> {
            long offset = Math.ceilDiv(externalBytes, ALIGNMENT) * ALIGNMENT;
            placed.add(new Placed(offset, tensor.segment()));
            externalBytes = offset + tensor.segment().byteSize();
            return offset;
        });
    }

    void writeExternalFile(Path file) throws IOException {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            for (Placed part : placed) {
                for (long from = 0; from < part.bytes.byteSize(); from += CHUNK) {
                    long length = Math.min(CHUNK, part.bytes.byteSize() - from);
                    ByteBuffer bytes = part.bytes.asSlice(from, length).asByteBuffer();
                    for (long at = part.offset + from; bytes.hasRemaining(); ) {
                        at += channel.write(bytes, at);
                    }
                }
            }
        }
    }

    static StringStringEntryProto entry(String key, String value) {
        return StringStringEntryProto.newBuilder().setKey(key).setValue(value).build();
    }
}
