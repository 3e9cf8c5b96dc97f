package dev.millrace.server.rest;

import dev.millrace.server.endpoint.ListenFailure;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.handler.ssl.SslContext;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import reactor.netty.ChannelBindException;
import reactor.netty.DisposableServer;
import reactor.netty.NettyPipeline;
import reactor.netty.http.HttpProtocol;
import reactor.netty.http.server.HttpServer;
import reactor.netty.resources.LoopResources;

/** The port of HTTP: versions 1.1 and 2, without TLS (h2c) or with it. */
public final class HttpEndpoint implements AutoCloseable {
    private static final int LONGEST_HEADERS = 16 << 10;
    /** The most bytes of a body that one read of the socket brings, which then stay one part. */
    private static final int LONGEST_PART = 64 << 10;

    private static final Duration SLOWEST_REQUEST_HEADERS = Duration.ofSeconds(30);
    private static final Duration LONGEST_IDLE = Duration.ofMinutes(5);
    /** Requests at a time on a connection of HTTP/2. The JDK's client fails those above it, rather than to let them wait. */
    private static final int MOST_STREAMS = 1000;

    private final LoopResources loops;
    private final DisposableServer server;

    /** Opens the port. */
    public HttpEndpoint(InetSocketAddress address, HttpRouter router, @Nullable SslContext tls) {
        loops = LoopResources.create(
                "millrace-http", Math.max(2, Runtime.getRuntime().availableProcessors()), true);
        var ends = new BrokenConnections(System::nanoTime);
        var resets = new ResetConnections();
        var cut = new CutRequests(ends);
        var handshakes = new Handshakes(ends, cut);
        HttpServer open = HttpServer.create()
                .bindAddress(() -> address)
                .runOn(loops, false)
                .idleTimeout(LONGEST_IDLE)
                .readTimeout(SLOWEST_REQUEST_HEADERS)
                .httpRequestDecoder(decoder -> decoder.maxHeaderSize(LONGEST_HEADERS)
                        .maxChunkSize(LONGEST_PART)
                        .h2cMaxContentLength(router.bodyLimit()))
                .http2Settings(settings -> settings.maxConcurrentStreams(MOST_STREAMS))
                .doOnChannelInit((_, channel, _) -> {
                    channel.pipeline().addFirst(resets).addLast(ends);
                    if (tls == null) {
                        cut.addTo(channel.pipeline());
                    } else {
                        channel.pipeline().addAfter(NettyPipeline.SslHandler, null, handshakes);
                    }
                })
                .channelGroup(new DefaultChannelGroup(GlobalEventExecutor.INSTANCE))
                .handle(router);
        open = tls == null
                ? open.protocol(HttpProtocol.HTTP11, HttpProtocol.H2C)
                : open.protocol(HttpProtocol.HTTP11, HttpProtocol.H2).secure(ssl -> ssl.sslContext(tls));
        try {
            server = open.bindNow();
        } catch (ChannelBindException e) {
            loops.dispose();
            throw ListenFailure.of("HTTP", address, e);
        }
    }

    public int port() {
        return server.port();
    }

    /** Refuses new connections, and waits so long for requests that are under way. */
    public void drain(Duration time) {
        server.disposeNow(time);
    }

    @Override
    public void close() {
        server.dispose();
        loops.disposeLater(Duration.ZERO, Duration.ofSeconds(1)).block();
    }
}
