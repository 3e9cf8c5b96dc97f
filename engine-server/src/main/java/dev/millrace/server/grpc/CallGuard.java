package dev.millrace.server.grpc;

import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Refuses calls without the server's token, and calls beyond the server's limit. */
final class CallGuard implements ServerInterceptor {
    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

    private final @Nullable String token;
    private final int mostCalls;
    private final AtomicInteger calls = new AtomicInteger();

    CallGuard(@Nullable String token, int mostCalls) {
        this.token = token;
        this.mostCalls = mostCalls;
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        if (!isAllowed(call, headers)) {
            return refuse(call, Status.UNAUTHENTICATED.withDescription("the call needs the server's bearer token"));
        }
        if (calls.incrementAndGet() > mostCalls) {
            calls.decrementAndGet();
            return refuse(
                    call,
                    Status.RESOURCE_EXHAUSTED.withDescription("the server handles " + mostCalls + " calls, its limit"));
        }
        return next.startCall(
                new SimpleForwardingServerCall<>(call) {
                    @Override
                    public void close(Status status, Metadata trailers) {
                        super.close(status, trailers);
                        calls.decrementAndGet();
                    }
                },
                headers);
    }

    private boolean isAllowed(ServerCall<?, ?> call, Metadata headers) {
        String service = String.valueOf(call.getMethodDescriptor().getServiceName());
        if (token == null || service.startsWith("grpc.health.")) {
            return true;
        }
        String given = headers.get(AUTHORIZATION);
        return given != null
                && MessageDigest.isEqual(
                        ("Bearer " + token).getBytes(StandardCharsets.UTF_8), given.getBytes(StandardCharsets.UTF_8));
    }

    private static <Q, A> ServerCall.Listener<Q> refuse(ServerCall<Q, A> call, Status status) {
        call.close(status, new Metadata());
        return new ServerCall.Listener<>() {};
    }
}
