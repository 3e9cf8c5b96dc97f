package dev.millrace.server.grpc;

import dev.millrace.server.access.AccessDenied;
import dev.millrace.server.access.Permissions;
import dev.millrace.server.access.Tokens;
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
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
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

    /** The methods of the service that take no place: those about health, which are always answered, and exchanges, whose requests take one each. */
    private static final Set<String> UNCOUNTED = Set.of("ServerLive", "ServerReady", "ModelReady", "ModelStreamInfer");

    private final Tokens tokens;
    private final CallPlaces places;

    CallGuard(Tokens tokens, CallPlaces places) {
        this.tokens = tokens;
        this.places = places;
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
        return places.take() ? placed(context, call, headers, next) : refuse(call, places.full());
    }

    /** Handles a call that has a place until it ends. */
    private <Q, A> ServerCall.Listener<Q> placed(
            Context context, ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        var isOver = new AtomicBoolean();
        Runnable end = () -> {
            if (isOver.compareAndSet(false, true)) {
                places.leave();
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

    /** Whether a call takes one of the places. Those of other services do not, as they last as long as clients watch. */
    private static boolean isCounted(MethodDescriptor<?, ?> method) {
        return ProtocolMethods.SERVICE.equals(method.getServiceName())
                && !UNCOUNTED.contains(String.valueOf(method.getBareMethodName()));
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
