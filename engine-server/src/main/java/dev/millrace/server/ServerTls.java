package dev.millrace.server;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import io.grpc.netty.GrpcSslContexts;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.File;
import java.nio.file.Path;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * The settings of TLS for both ports, by the JDK's implementation.
 *
 * @param http null for no TLS
 * @param grpc null for no TLS
 */
record ServerTls(@Nullable SslContext http, @Nullable SslContext grpc) {
    /** The versions of HTTP that clients choose among, the preferred one first. */
    private static final ApplicationProtocolConfig VERSIONS = new ApplicationProtocolConfig(
            Protocol.ALPN,
            SelectorFailureBehavior.NO_ADVERTISE,
            SelectedListenerFailureBehavior.ACCEPT,
            ApplicationProtocolNames.HTTP_2,
            ApplicationProtocolNames.HTTP_1_1);

    static ServerTls of(ServerOptions options) {
        Path certificate = options.certificate();
        Path key = options.key();
        if (certificate == null || key == null) {
            return new ServerTls(null, null);
        }
        File chain = certificate.toFile();
        try {
            return new ServerTls(
                    withClients(SslContextBuilder.forServer(chain, key.toFile()).sslProvider(SslProvider.JDK), options)
                            .applicationProtocolConfig(VERSIONS)
                            .build(),
                    GrpcSslContexts.configure(
                                    withClients(SslContextBuilder.forServer(chain, key.toFile()), options),
                                    SslProvider.JDK)
                            .build());
        } catch (SSLException | IllegalArgumentException e) {
            throw new EngineException(
                    Status.INVALID_ARGUMENT,
                    "TLS with " + certificate + " and " + key + " fails: " + e.getMessage(),
                    e);
        }
    }

    private static SslContextBuilder withClients(SslContextBuilder builder, ServerOptions options) {
        Path authorities = options.clientCertificates();
        return authorities == null
                ? builder
                : builder.trustManager(authorities.toFile()).clientAuth(ClientAuth.REQUIRE);
    }
}
