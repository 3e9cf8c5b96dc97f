package dev.millrace.server.grpc;

import dev.millrace.server.model.RunObservations;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.micrometer.observation.Observation;
import io.micrometer.observation.transport.RequestReplyReceiverContext;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** Observations of calls, under OpenTelemetry's names. A trace that the call's metadata name goes on. */
final class CallObservations implements ServerInterceptor {
    private static final String NAME = "rpc.server.call.duration";
    private static final Context.Key<OfCall> CURRENT = Context.key("observation");

    /** The statuses that blame the server, as OpenTelemetry has it. */
    private static final Set<Status.Code> FAILURES = Set.of(
            Status.Code.UNKNOWN,
            Status.Code.DEADLINE_EXCEEDED,
            Status.Code.UNIMPLEMENTED,
            Status.Code.INTERNAL,
            Status.Code.UNAVAILABLE,
            Status.Code.DATA_LOSS,
            Status.Code.CANCELLED);

    private final RunObservations runs;

    CallObservations(RunObservations runs) {
        this.runs = runs;
    }

    /** Returns the observation of the current call, or null where nobody observes. */
    static @Nullable OfCall current() {
        return CURRENT.get();
    }

    /** Returns what a call does, below the call's observation. */
    static <T> Mono<T> below(@Nullable OfCall call, Mono<T> handling) {
        return call == null ? handling : call.runs.below(call.observation, handling);
    }

    /** The observation of one call. */
    static final class OfCall {
        private final RunObservations runs;
        private final Observation observation;
        private final AtomicBoolean hasEnded = new AtomicBoolean();

        private OfCall(RunObservations runs, Observation observation) {
            this.runs = runs;
            this.observation = observation;
        }

        private void end(Status status) {
            if (hasEnded.compareAndSet(false, true)) {
                observation.lowCardinalityKeyValue(
                        "rpc.response.status_code", status.getCode().name());
                if (FAILURES.contains(status.getCode())) {
                    observation.error(status.asException());
                }
                observation.stop();
            }
        }
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        if (CallGuard.isOfHealth(call.getMethodDescriptor())) {
            return next.startCall(call, headers);
        }
        var context = new RequestReplyReceiverContext<Metadata, Status>(
                (from, key) -> from.get(Metadata.Key.of(key, Metadata.ASCII_STRING_MARSHALLER)));
        context.setCarrier(headers);
        String method = call.getMethodDescriptor().getFullMethodName();
        Observation observation = Observation.createNotStarted(NAME, () -> context, runs.registry())
                .contextualName(method)
                .lowCardinalityKeyValue("rpc.system.name", "grpc")
                .lowCardinalityKeyValue("rpc.method", method)
                .start();
        var observed = new OfCall(runs, observation);
        var closing = new SimpleForwardingServerCall<>(call) {
            @Override
            public void close(Status status, Metadata trailers) {
                super.close(status, trailers);
                observed.end(status);
            }
        };
        var listener = Contexts.interceptCall(Context.current().withValue(CURRENT, observed), closing, headers, next);
        return new SimpleForwardingServerCallListener<>(listener) {
            @Override
            public void onCancel() {
                super.onCancel();
                observed.end(Status.CANCELLED);
            }
        };
    }
}
