package dev.millrace.graph.format;

import com.google.protobuf.ByteString;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.DocString;
import dev.millrace.graph.ir.Remarks;
import dev.millrace.graph.ir.TensorNotes;
import dev.millrace.graph.proto.GraphProto;
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
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Writes tensors as {@code TensorProto}. The bytes of large tensors are not copied before the files are written. */
final class TensorWriter {
    private static final long ALIGNMENT = 64;
    private static final int CHUNK = 1 << 23;
    /** The size in bytes from which it pays to keep a tensor out of its message. */
    private static final long LARGE = 4096;

    private final WriteOptions options;
    private final List<ModelImage.Large> large = new ArrayList<>();
    private final List<Placed> placed = new ArrayList<>();
    private final IdentityHashMap<Tensor, Long> offsets = new IdentityHashMap<>();
    private long externalBytes;
    private long inlineBytes;

    private record Placed(long offset, MemorySegment bytes) {}

    TensorWriter(WriteOptions options) {
        this.options = options;
    }

    boolean usesExternalFile() {
        return !placed.isEmpty();
    }

    /** The tensors that the main graph's message lacks, to be written after it. */
    List<ModelImage.Large> large() {
        return large;
    }

    /** Adds an initializer to {@code graph}, unless it is a large one of the main graph. */
    void addInitializer(GraphProto.Builder graph, boolean mainGraph, String name, Tensor tensor, Remarks remarks) {
        String file = options.externalFile();
        long bytes = tensor.type() == ElementType.STRING ? 0 : tensor.segment().byteSize();
        TensorProto.Builder header = header(name, tensor, remarks);
        DataPlace placed = bytes == 0 ? null : placed(name, tensor);
        if (placed != null) {
            graph.addInitializer(external(header, placed));
        } else if (file != null && bytes >= Math.max(options.externalFrom(), 1)) {
            graph.addInitializer(external(header, new DataPlace(file, place(tensor), bytes)));
        } else if (mainGraph && bytes >= LARGE) {
            large.add(new ModelImage.Large(header.build(), tensor.segment()));
        } else {
            graph.addInitializer(inline(header, tensor));
        }
    }

    private @Nullable DataPlace placed(String name, Tensor tensor) {
        TensorPlacement placement = options.placement();
        DataPlace place = placement == null ? null : placement.place(name, tensor);
        if (place != null && place.length() != tensor.segment().byteSize()) {
            throw EngineException.invalidArgument("initializer '" + name + "' has "
                    + tensor.segment().byteSize() + " bytes, and " + place + " is named for its place");
        }
        if (place != null && !ExternalData.isInside(place.location())) {
            throw EngineException.invalidArgument("initializer '" + name + "' is to lie in '" + place.location()
                    + "', which is no path in the folder of the model");
        }
        return place;
    }

    private static TensorProto.Builder external(TensorProto.Builder header, DataPlace place) {
        return header.setDataLocation(TensorProto.DataLocation.EXTERNAL)
                .addExternalData(entry("location", place.location()))
                .addExternalData(entry("offset", Long.toString(place.offset())))
                .addExternalData(entry("length", Long.toString(place.length())));
    }

    TensorProto inline(String name, Tensor tensor) {
        return inline(header(name, tensor, Remarks.NONE), tensor);
    }

    /** Returns the message of a tensor in an attribute, its bytes included. */
    TensorProto inline(Tensor tensor, TensorNotes notes) {
        return inline(header(notes.name(), tensor, notes.remarks()), tensor);
    }

    private TensorProto inline(TensorProto.Builder proto, Tensor tensor) {
        if (tensor.type() == ElementType.STRING) {
            for (String text : tensor.strings()) {
                ByteString bytes = ByteString.copyFromUtf8(text);
                inlineBytes += bytes.size();
                proto.addStringData(bytes);
            }
        } else {
            inlineBytes += tensor.segment().byteSize();
            ModelImage.refuseBeyondLimit(inlineBytes);
            proto.setRawData(ByteString.copyFrom(tensor.segment().asByteBuffer()));
        }
        return proto.build();
    }

    private static TensorProto.Builder header(String name, Tensor tensor, Remarks remarks) {
        var proto = TensorProto.newBuilder().setDataType(tensor.type().code());
        if (!name.isEmpty()) {
            proto.setName(name);
        }
        for (long extent : tensor.shape().toArray()) {
            proto.addDims(extent);
        }
        write(remarks, proto::setDocStringBytes, proto::addMetadataProps);
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
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
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

    /** Writes remarks, where there are any, to the documentation and metadata fields of a message. */
    static void write(Remarks remarks, Consumer<ByteString> documentation, Consumer<StringStringEntryProto> metadata) {
        if (!remarks.documentation().isEmpty()) {
            documentation.accept(bytes(remarks.documentation()));
        }
        remarks.metadata().forEach((key, value) -> metadata.accept(entry(key, value)));
    }

    static ByteString bytes(DocString documentation) {
        MemorySegment bytes = documentation.bytes();
        ModelImage.refuseBeyondLimit(bytes.byteSize());
        return ByteString.copyFrom(bytes.asByteBuffer());
    }

    static StringStringEntryProto entry(String key, String value) {
        return StringStringEntryProto.newBuilder().setKey(key).setValue(value).build();
    }
}
