package dev.millrace.server.grpc;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.WireFormat;
import dev.millrace.server.protocol.ModelInferRequest;
import io.grpc.HasByteBuffer;
import io.grpc.KnownLength;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * A request for an inference whose raw contents still lie in the buffers of the socket.
 *
 * @param message the request without its raw contents
 * @param contents the raw contents, which are valid as long as the stream is open that they were read of
 */
record RequestBytes(ModelInferRequest message, List<Content> contents) {
    private static final int RAW_CONTENTS = ModelInferRequest.RAW_INPUT_CONTENTS_FIELD_NUMBER;

    /** Bytes that lie in one or several buffers. */
    record Content(int size, List<ByteBuffer> parts) implements Consumer<ByteBuffer> {
        /** Copies the bytes to a buffer. */
        @Override
        public void accept(ByteBuffer target) {
            parts.forEach(part -> target.put(part.duplicate()));
        }
    }

    static RequestBytes of(InputStream stream) throws IOException {
        if (stream.markSupported()) {
            // the stream keeps buffers behind a mark
            stream.mark(stream.available());
        }
        var contents = new ArrayList<Content>();
        var rest = new ByteArrayOutputStream();
        var fields = CodedOutputStream.newInstance(rest);
        for (int first = stream.read(); first >= 0; first = stream.read()) {
            int tag = CodedInputStream.readRawVarint32(first, stream);
            if (WireFormat.getTagFieldNumber(tag) == RAW_CONTENTS
                    && WireFormat.getTagWireType(tag) == WireFormat.WIRETYPE_LENGTH_DELIMITED) {
                int size = length(stream);
                contents.add(new Content(size, parts(stream, size)));
            } else {
                fields.writeUInt32NoTag(tag);
                copyField(tag, stream, fields);
            }
        }
        fields.flush();
        return new RequestBytes(ModelInferRequest.parseFrom(rest.toByteArray()), contents);
    }

    private static int varint(InputStream stream) throws IOException {
        int first = stream.read();
        if (first < 0) {
            throw cut();
        }
        return CodedInputStream.readRawVarint32(first, stream);
    }

    private static int length(InputStream stream) throws IOException {
        int length = varint(stream);
        // a packed stream does not know how much it has
        boolean isTooLong = stream instanceof KnownLength && length > stream.available();
        if (length < 0 || isTooLong) {
            throw cut();
        }
        return length;
    }

    private static InvalidProtocolBufferException cut() {
        return new InvalidProtocolBufferException("the request ends within a field");
    }

    private static byte[] bytes(InputStream stream, int size) throws IOException {
        byte[] bytes = stream.readNBytes(size);
        if (bytes.length < size) {
            throw cut();
        }
        return bytes;
    }

    private static void copyField(int tag, InputStream stream, CodedOutputStream to) throws IOException {
        switch (WireFormat.getTagWireType(tag)) {
            case WireFormat.WIRETYPE_LENGTH_DELIMITED -> to.writeByteArrayNoTag(bytes(stream, length(stream)));
            case WireFormat.WIRETYPE_VARINT -> to.writeUInt32NoTag(varint(stream));
            case WireFormat.WIRETYPE_FIXED64 -> to.writeRawBytes(bytes(stream, Long.BYTES));
            case WireFormat.WIRETYPE_FIXED32 -> to.writeRawBytes(bytes(stream, Integer.BYTES));
            default -> throw new InvalidProtocolBufferException("the request has a field of no known kind");
        }
    }

    private static List<ByteBuffer> parts(InputStream stream, int size) throws IOException {
        if (!(stream instanceof HasByteBuffer buffers && buffers.byteBufferSupported() && stream.markSupported())) {
            return List.of(ByteBuffer.wrap(bytes(stream, size)));
        }
        var parts = new ArrayList<ByteBuffer>();
        for (int left = size; left > 0; ) {
            ByteBuffer buffer = Objects.requireNonNull(buffers.getByteBuffer());
            ByteBuffer part = buffer.slice(buffer.position(), Math.min(left, buffer.remaining()));
            parts.add(part);
            stream.skipNBytes(part.remaining());
            left -= part.remaining();
        }
        return parts;
    }
}
