package dev.millrace.server.grpc;

import io.grpc.Decompressor;
import java.io.InputStream;
import java.util.zip.InflaterInputStream;

/** Messages with the encoding {@code deflate}, which gRPC's C core and its bindings send. gRPC itself brings {@code gzip}. */
final class DeflatedMessages implements Decompressor {
    @Override
    public String getMessageEncoding() {
        return "deflate";
    }

    @Override
    public InputStream decompress(InputStream packed) {
        return new InflaterInputStream(packed);
    }
}
