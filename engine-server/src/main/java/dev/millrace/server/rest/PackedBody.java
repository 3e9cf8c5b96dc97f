package dev.millrace.server.rest;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.server.endpoint.GzipOutput;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufInputStream;
import io.netty.buffer.ByteBufOutputStream;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.InflaterInputStream;
import org.jspecify.annotations.Nullable;

/** Bodies with a content encoding: {@code gzip} and {@code deflate}. */
enum PackedBody {
    GZIP {
        @Override
        InputStream open(InputStream packed) throws IOException {
            return new GZIPInputStream(packed);
        }

        @Override
        OutputStream pack(OutputStream target, int level) throws IOException {
            return new GzipOutput(target, level);
        }
    },
    DEFLATE {
        @Override
        InputStream open(InputStream packed) {
            return new InflaterInputStream(packed);
        }

        @Override
        OutputStream pack(OutputStream target, int level) {
            return new ZlibOutput(target, level);
        }
    };

    private static final int CHUNK = 1 << 16;
    private static final Pattern QUALITY = Pattern.compile("q=([01](?:\\.\\d{0,3})?)");

    private static final class ZlibOutput extends DeflaterOutputStream {
        ZlibOutput(OutputStream target, int level) {
            super(target, new Deflater(level), CHUNK);
        }

        @Override
        public void close() throws IOException {
            try {
                super.close();
            } finally {
                def.end();
            }
        }
    }

    /** Returns the content of packed bytes as a stream. */
    abstract InputStream open(InputStream packed) throws IOException;

    /** Returns a stream that packs what is written to it. */
    abstract OutputStream pack(OutputStream target, int level) throws IOException;

    /** The name in headers. */
    String coding() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the encoding of a header's value; throws an {@link HttpProblem} for one that bodies cannot have. */
    static PackedBody of(String encoding) {
        return switch (encoding.strip().toLowerCase(Locale.ROOT)) {
            case "gzip", "x-gzip" -> GZIP;
            case "deflate" -> DEFLATE;
            default ->
                throw new HttpProblem(
                        HttpResponseStatus.UNSUPPORTED_MEDIA_TYPE,
                        "bodies have the content encoding gzip, deflate or none, not " + encoding,
                        Map.of("Accept-Encoding", "gzip, deflate"));
        };
    }

    /** Returns the encoding that a client prefers by its header, or null for none. */
    static @Nullable PackedBody accepted(String header) {
        var qualities = new HashMap<String, Double>();
        for (String each : header.toLowerCase(Locale.ROOT).split(",")) {
            String[] parts = each.strip().split("\\s*;\\s*", 2);
            qualities.put(parts[0], parts.length == 1 ? 1 : quality(parts[1]));
        }
        double others = qualities.getOrDefault("*", 0.0);
        double gzip = qualities.getOrDefault("gzip", others);
        double deflate = qualities.getOrDefault("deflate", others);
        double best = Math.max(gzip, deflate);
        if (best == 0 || best < qualities.getOrDefault("identity", 0.0)) {
            return null;
        }
        return gzip >= deflate ? GZIP : DEFLATE;
    }

    private static double quality(String parameter) {
        Matcher matcher = QUALITY.matcher(parameter);
        return matcher.matches() ? Double.parseDouble(matcher.group(1)) : 0;
    }

    /** Returns the packed content of a body, which stays the caller's. */
    ByteBuf packed(ByteBuf body, int level) {
        ByteBuf all = PooledByteBufAllocator.DEFAULT.directBuffer();
        try (OutputStream to = pack(new ByteBufOutputStream(all), level)) {
            body.getBytes(body.readerIndex(), to, body.readableBytes());
        } catch (IOException e) {
            all.release();
            throw new UncheckedIOException(e);
        } catch (RuntimeException | Error e) {
            all.release();
            throw e;
        }
        return all;
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
                // beside the heap, where bodies lie that are not packed
                all.addComponent(
                        true,
                        PooledByteBufAllocator.DEFAULT
                                .directBuffer(chunk.length)
                                .writeBytes(chunk));
                chunk = content.readNBytes(CHUNK);
            }
            return all;
        } catch (IOException e) {
            all.release();
            throw new EngineException(Status.INVALID_ARGUMENT, "the body is no " + coding() + " data: " + e, e);
        } catch (RuntimeException | Error e) {
            all.release();
            throw e;
        }
    }
}
