package dev.millrace.server.rest;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufInputStream;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.io.IOException;
import java.io.InputStream;
import java.util.Locale;
import java.util.zip.GZIPInputStream;
import java.util.zip.InflaterInputStream;

/** Bodies with a content encoding: {@code gzip} and {@code deflate}. */
enum PackedBody {
    GZIP {
        @Override
        InputStream open(InputStream packed) throws IOException {
            return new GZIPInputStream(packed);
        }
    },
    DEFLATE {
        @Override
        InputStream open(InputStream packed) {
            return new InflaterInputStream(packed);
        }
    };

    private static final int CHUNK = 1 << 16;

    /** Returns the content of packed bytes as a stream. */
    abstract InputStream open(InputStream packed) throws IOException;

    /** Returns the encoding of a header's value; throws an {@link HttpProblem} for one that bodies cannot have. */
    static PackedBody of(String encoding) {
        return switch (encoding.strip().toLowerCase(Locale.ROOT)) {
            case "gzip", "x-gzip" -> GZIP;
            case "deflate" -> DEFLATE;
            default ->
                throw new HttpProblem(
                        HttpResponseStatus.UNSUPPORTED_MEDIA_TYPE,
                        "bodies have the content encoding gzip, deflate or none, not " + encoding);
        };
    }

    /**
     * Returns the content of a body and releases the body. A body whose content is too large fails before more than one chunk of
     * it too much is there.
     */
    ByteBuf unpacked(ByteBuf body, BodyLimit limit) {
        CompositeByteBuf all = Unpooled.compositeBuffer(Integer.MAX_VALUE);
        try (InputStream packed = new ByteBufInputStream(body, true);
                InputStream content = open(packed)) {
            byte[] chunk = content.readNBytes(CHUNK);
            while (chunk.length > 0) {
                limit.check(all.readableBytes(), chunk.length);
                all.addComponent(true, Unpooled.wrappedBuffer(chunk));
                chunk = content.readNBytes(CHUNK);
            }
            return all;
        } catch (IOException e) {
            all.release();
            throw new EngineException(
                    Status.INVALID_ARGUMENT, "the body is no " + name().toLowerCase(Locale.ROOT) + " data: " + e, e);
        } catch (RuntimeException | Error e) {
            all.release();
            throw e;
        }
    }
}
