package dev.millrace.server.grpc;

import dev.millrace.server.endpoint.ListenFailure;
import dev.millrace.server.endpoint.SharedParts;
import io.grpc.BindableService;
import io.grpc.CompressorRegistry;
import io.grpc.DecompressorRegistry;
import io.grpc.Server;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.services.HealthStatusManager;
import io.grpc.protobuf.services.ProtoReflectionService;
import io.grpc.protobuf.services.ProtoReflectionServiceV1;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The port of gRPC with the protocol's service, the health service and the reflection service. */
public final class GrpcEndpoint implements AutoCloseable {
    /** The time in which the answers of the last calls are written. */
    private static final Duration LAST_ANSWERS = Duration.ofMillis(500);

    private final Server server;
    private final CallPlaces places;
    private final InferenceService inferences;
    private final HealthStatusManager health = new HealthStatusManager();

    /** Opens the port. */
    public GrpcEndpoint(InetSocketAddress address, SharedParts shared, @Nullable SslContext tls) {
        var methods = new ProtocolMethods();
        places = new CallPlaces(shared.access().mostRequests());
        inferences = new InferenceService(shared, places);
        inferences.addTo(methods);
        new RepositoryService(shared).addTo(methods);
        setServing(false);
        var builder = NettyServerBuilder.forAddress(address)
                .directExecutor()
                .maxInboundMessageSize(shared.access().mostBytes())
                .intercept(new CallGuard(shared.access().tokens(), places))
                .decompressorRegistry(DecompressorRegistry.getDefaultInstance().with(new DeflatedMessages(), true))
                .addService(methods.service())
                .addService(health.getHealthService())
                .addService(ProtoReflectionServiceV1.newInstance())
                .addService(olderReflection());
        if (shared.compression().grpc() > 0) {
            var packing = new PackedMessages(shared.compression().grpc());
            CompressorRegistry encodings = CompressorRegistry.newEmptyInstance();
            encodings.register(packing);
            builder.intercept(packing).compressorRegistry(encodings);
        }
        if (!shared.runs().registry().isNoop()) {
            // the last interceptor is called first
            builder.intercept(new CallObservations(shared.runs()));
        }
        if (tls != null) {
            builder.sslContext(tls);
        }
        try {
            server = builder.build().start();
        } catch (IOException e) {
            throw ListenFailure.of("gRPC", address, e);
        }
    }

    /** Returns the reflection service that older clients ask. */
    @SuppressWarnings("deprecation") // v1 takes its place
    private static BindableService olderReflection() {
        return ProtoReflectionService.newInstance();
    }

    public int port() {
        return server.getPort();
    }

    /** Tells the health service whether the server takes requests. */
    public void setServing(boolean serving) {
        ServingStatus status = serving ? ServingStatus.SERVING : ServingStatus.NOT_SERVING;
        health.setStatus(HealthStatusManager.SERVICE_NAME_ALL_SERVICES, status);
        health.setStatus(ProtocolMethods.SERVICE, status);
    }

    /** Refuses new calls, and waits so long for those that are under way. Clients that watch the health or have
     * an open exchange are not waited for. */
    public void drain(Duration time) throws InterruptedException {
        server.shutdown();
        inferences.endExchanges();
        places.awaitIdle(time);
        server.awaitTermination(LAST_ANSWERS.toNanos(), TimeUnit.NANOSECONDS);
    }

    @Override
    public void close() {
        health.enterTerminalState();
        server.shutdownNow();
    }
}
