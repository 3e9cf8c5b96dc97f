package dev.millrace.server;

import dev.millrace.server.endpoint.SharedParts;
import dev.millrace.server.grpc.GrpcEndpoint;
import dev.millrace.server.rest.HttpEndpoint;
import dev.millrace.server.rest.HttpRouter;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The open ports of a server: HTTP, metrics and gRPC. */
final class ServerPorts implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(ModelServer.class.getName());

    private final HttpEndpoint http;
    private final HttpEndpoint metrics;
    private final GrpcEndpoint grpc;

    /** Opens the ports; if one of them cannot be opened, none stays open. */
    ServerPorts(ServerOptions options, HttpRouter routes, HttpRouter metricsRoutes, SharedParts shared) {
        var tls = ServerTls.of(options);
        var open = new ArrayList<AutoCloseable>();
        try {
            http = new HttpEndpoint(new InetSocketAddress(options.host(), options.httpPort()), routes, tls.http());
            open.add(http);
            metrics = new HttpEndpoint(
                    new InetSocketAddress(options.host(), options.metricsPort()), metricsRoutes, tls.http());
            open.add(metrics);
            grpc = new GrpcEndpoint(new InetSocketAddress(options.host(), options.grpcPort()), shared, tls.grpc());
        } catch (RuntimeException e) {
            closeAll(open);
            throw e;
        }
    }

    int http() {
        return http.port();
    }

    int metrics() {
        return metrics.port();
    }

    int grpc() {
        return grpc.port();
    }

    /** Tells the health service of gRPC whether the server takes requests. */
    void setServing(boolean serving) {
        grpc.setServing(serving);
    }

    /** Refuses new requests, and waits at each port so long for those that are under way. */
    void drain(Duration time) throws InterruptedException {
        setServing(false);
        http.drain(time);
        grpc.drain(time);
    }

    @Override
    public void close() {
        closeAll(List.of(http, metrics, grpc));
    }

    private static void closeAll(List<AutoCloseable> open) {
        for (AutoCloseable each : open) {
            try {
                each.close();
            } catch (Exception e) {
                LOG.log(System.Logger.Level.WARNING, "a port was not closed", e);
            }
        }
    }
}
