package dev.millrace.server.grpc;

import dev.millrace.server.access.AccessDenied;
import dev.millrace.server.access.Permissions;
import dev.millrace.server.access.Tokens;
import dev.millrace.server.endpoint.AccessRules;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Refuses calls without one of the server's tokens, calls that the token does not permit, and calls beyond the limit. */
final class CallGuard implements ServerInterceptor {
    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

    private static final Context.Key<Permissions> PERMISSIONS = Context.key("permissions");

    /** The methods whose handlers ask what the token permits. The others of the service take a token without limits. */
    private static final Set<String> CHECKED = Set.of(
            "ServerLive",
            "ServerReady",
            "ServerMetadata",
            "ModelReady",
            "ModelMetadata",
            "ModelConfig",
            "ModelStatistics",
            "ModelInfer",
            "ModelStreamInfer",
            "RepositoryIndex",
            "RepositoryModelLoad",
            "RepositoryModelUnload");

    /** The methods of the service that are always answered. */
    private static final Set<String> PROBES = Set.of("ServerLive", "ServerReady", "ModelReady");

    private final Tokens tokens;
    private final int mostCalls;
    private final AtomicInteger calls = new AtomicInteger();
    /** Opens when no counted call is left; null while nobody waits for that. */
    private volatile @Nullable CountDownLatch idle;

    CallGuard(AccessRules access) {
        tokens = access.tokens();
        mostCalls = access.mostRequests();
    }

    /** Returns what the token of the current call permits. */
    static Permissions permissions() {
        Permissions found = PERMISSIONS.get();
        return found == null ? Permissions.NONE : found;
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        Permissions permissions = permissions(call.getMethodDescriptor(), headers);
        if (permissions == null) {
            return refuse(call, Status.UNAUTHENTICATED.withDescription("the call needs the server's bearer token"));
        }
        try {
            check(call.getMethodDescriptor(), permissions);
        } catch (AccessDenied e) {
            return refuse(call, Status.PERMISSION_DENIED.withDescription(e.getMessage()));
        }
        var context = Context.current().withValue(PERMISSIONS, permissions);
        if (!isCounted(call.getMethodDescriptor())) {
            return Contexts.interceptCall(context, call, headers, next);
        }
        if (calls.incrementAndGet() > mostCalls) {
            calls.decrementAndGet();
            return refuse(
                    call,
                    Status.RESOURCE_EXHAUSTED.withDescription("the server handles " + mostCalls + " calls, its limit"));
        }
        return counted(Context.current().withValue(PERMISSIONS, permissions), call, headers, next);
    }

    /** Handles a call that counts towards the limit until it ends. */
    private <Q, A> ServerCall.Listener<Q> counted(
            Context context, ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        var isOver = new AtomicBoolean();
        Runnable end = () -> {
            if (isOver.compareAndSet(false, true) && calls.decrementAndGet() == 0) {
                CountDownLatch waiting = idle;
                if (waiting != null) {
                    waiting.countDown();
                }
            }
        };
        var listener = Contexts.interceptCall(
                context,
                new SimpleForwardingServerCall<>(call) {
                    @Override
                    public void close(Status status, Metadata trailers) {
                        // before the answer leaves, because a client that has it may call again at once
                        end.run();
                        super.close(status, trailers);
                    }
                },
                headers,
                next);
        return new SimpleForwardingServerCallListener<>(listener) {
            // a call that its client cancels may never be closed
            @Override
            public void onCancel() {
                super.onCancel();
                end.run();
            }
        };
    }

    private @Nullable Permissions permissions(MethodDescriptor<?, ?> method, Metadata headers) {
        return isOfHealth(method) ? Permissions.NONE : tokens.of(headers.get(AUTHORIZATION));
    }

    /** Whether a call takes one of the places: those of the service, but for questions about health, which last as long as clients watch. */
    private static boolean isCounted(MethodDescriptor<?, ?> method) {
        return ProtocolMethods.SERVICE.equals(method.getServiceName())
                && !PROBES.contains(String.valueOf(method.getBareMethodName()));
    }

    /** Waits so long for the end of counted calls. */
    void awaitIdle(Duration time) throws InterruptedException {
        var latch = new CountDownLatch(1);
        idle = latch;
        if (calls.get() > 0) {
            latch.await(time.toNanos(), TimeUnit.NANOSECONDS);
        }
    }

    static boolean isOfHealth(MethodDescriptor<?, ?> method) {
        return String.valueOf(method.getServiceName()).startsWith("grpc.health.");
    }

    private static void check(MethodDescriptor<?, ?> method, Permissions permissions) {
        boolean isChecked = CHECKED.contains(String.valueOf(method.getBareMethodName()));
        if (ProtocolMethods.SERVICE.equals(method.getServiceName()) && !isChecked) {
            permissions.requireAll();
        }
    }

    private static <Q, A> ServerCall.Listener<Q> refuse(ServerCall<Q, A> call, Status status) {
        call.close(status, new Metadata());
        return new ServerCall.Listener<>() {};
    }
}
