package dev.millrace.server.grpc;

import dev.millrace.server.access.Permissions;
import dev.millrace.server.endpoint.SharedParts;
import dev.millrace.server.model.InferRequest;
import dev.millrace.server.model.LoadedVersion;
import dev.millrace.server.model.RunObservations;
import dev.millrace.server.model.ServerDescription;
import dev.millrace.server.protocol.ModelConfigRequest;
import dev.millrace.server.protocol.ModelConfigResponse;
import dev.millrace.server.protocol.ModelInferResponse;
import dev.millrace.server.protocol.ModelMetadataRequest;
import dev.millrace.server.protocol.ModelMetadataResponse;
import dev.millrace.server.protocol.ModelReadyRequest;
import dev.millrace.server.protocol.ModelReadyResponse;
import dev.millrace.server.protocol.ModelStatisticsRequest;
import dev.millrace.server.protocol.ModelStatisticsResponse;
import dev.millrace.server.protocol.ModelStreamInferResponse;
import dev.millrace.server.protocol.ServerLiveRequest;
import dev.millrace.server.protocol.ServerLiveResponse;
import dev.millrace.server.protocol.ServerMetadataRequest;
import dev.millrace.server.protocol.ServerMetadataResponse;
import dev.millrace.server.protocol.ServerReadyRequest;
import dev.millrace.server.protocol.ServerReadyResponse;
import dev.millrace.server.repository.ModelRepository;
import dev.millrace.server.timeline.ModelOperation;
import dev.millrace.server.timeline.RecentRequests;
import dev.millrace.server.timeline.RequestTimeline;
import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SignalType;

/** The methods about health, models and inferences. */
final class InferenceService {
    /** Triton's metadata by which a client asks that a failed request ends its exchange with a status of gRPC. */
    private static final Metadata.Key<String> FAILURES_AS_STATUS =
            Metadata.Key.of("triton_grpc_error", Metadata.ASCII_STRING_MARSHALLER);
    /** The requests of one exchange that run side by side. */
    private static final int UNDER_WAY = 16;

    private final ModelRepository repository;
    private final BooleanSupplier ready;
    private final RunObservations runs;
    private final RecentRequests recent;
    private final CallPlaces places;
    private final Set<InferExchange> exchanges = ConcurrentHashMap.newKeySet();

    InferenceService(SharedParts shared, CallPlaces places) {
        repository = shared.repository();
        ready = shared.ready();
        runs = shared.runs();
        recent = shared.recent();
        this.places = places;
    }

    void addTo(ProtocolMethods methods) {
        addHealth(methods);
        addDescriptions(methods);
        addInferences(methods);
    }

    private void addHealth(ProtocolMethods methods) {
        methods.unary(
                "ServerLive",
                ServerLiveRequest.getDefaultInstance(),
                ServerLiveResponse.getDefaultInstance(),
                _ -> Mono.just(ServerLiveResponse.newBuilder().setLive(true).build()));
        methods.unary(
                "ServerReady",
                ServerReadyRequest.getDefaultInstance(),
                ServerReadyResponse.getDefaultInstance(),
                _ -> Mono.just(ServerReadyResponse.newBuilder()
                        .setReady(ready.getAsBoolean())
                        .build()));
        methods.unary(
                "ModelReady",
                ModelReadyRequest.getDefaultInstance(),
                ModelReadyResponse.getDefaultInstance(),
                request -> Mono.fromSupplier(() -> {
                    CallGuard.permissions().requireSee(request.getName());
                    // clients ask until a model is there
                    boolean isReady = repository.has(request.getName())
                            && repository.isReady(request.getName(), request.getVersion());
                    return ModelReadyResponse.newBuilder().setReady(isReady).build();
                }));
    }

    private void addDescriptions(ProtocolMethods methods) {
        methods.unary(
                "ServerMetadata",
                ServerMetadataRequest.getDefaultInstance(),
                ServerMetadataResponse.getDefaultInstance(),
                _ -> Mono.just(ServerDescription.server()));
        methods.unary(
                "ModelMetadata",
                ModelMetadataRequest.getDefaultInstance(),
                ModelMetadataResponse.getDefaultInstance(),
                request -> on(
                        request.getName(),
                        request.getVersion(),
                        version -> ServerDescription.model(
                                version.model().config(), repository.versions(version.name()))));
        methods.unary(
                "ModelConfig",
                ModelConfigRequest.getDefaultInstance(),
                ModelConfigResponse.getDefaultInstance(),
                request -> on(
                        request.getName(),
                        request.getVersion(),
                        version -> ModelConfigResponse.newBuilder()
                                .setConfig(version.model().config())
                                .build()));
        methods.unary(
                "ModelStatistics",
                ModelStatisticsRequest.getDefaultInstance(),
                ModelStatisticsResponse.getDefaultInstance(),
                request -> Mono.fromSupplier(() -> statistics(request)));
    }

    private void addInferences(ProtocolMethods methods) {
        methods.unary(
                InferMarshaller.method("ModelInfer", MethodType.UNARY, ModelInferResponse.getDefaultInstance()),
                request -> infer(request, CallGuard.permissions()));
        methods.exchange(
                InferMarshaller.method(
                        "ModelStreamInfer", MethodType.BIDI_STREAMING, ModelStreamInferResponse.getDefaultInstance()),
                headers -> observer -> exchange(
                        (ServerCallStreamObserver<ModelStreamInferResponse>) observer,
                        Boolean.parseBoolean(headers.get(FAILURES_AS_STATUS))));
    }

    private InferExchange exchange(ServerCallStreamObserver<ModelStreamInferResponse> call, boolean endsByFailure) {
        // read here, because later requests of the exchange are handled on other threads
        Permissions permissions = CallGuard.permissions();
        var observed = CallObservations.current();
        var exchange = new InferExchange(
                call,
                request ->
                        CallObservations.below(observed, places.placed(Mono.defer(() -> infer(request, permissions)))),
                Math.min(UNDER_WAY, places.most()),
                endsByFailure,
                exchanges::remove);
        exchanges.add(exchange);
        return exchange;
    }

    /** Lets exchanges end with the answers to the requests that are under way. */
    void endExchanges() {
        exchanges.forEach(InferExchange::serverEnds);
    }

    private <T> Mono<T> on(String name, String version, Function<LoadedVersion, T> reader) {
        return Mono.fromSupplier(() -> {
            CallGuard.permissions().requireSee(name);
            LoadedVersion found = repository.acquire(name, version);
            try {
                return reader.apply(found);
            } finally {
                found.release();
            }
        });
    }

    private ModelStatisticsResponse statistics(ModelStatisticsRequest request) {
        Permissions permissions = CallGuard.permissions();
        if (request.getName().isEmpty()) {
            return repository.statistics(permissions::maySee);
        }
        permissions.requireSee(request.getName());
        return repository.statistics(request.getName(), request.getVersion());
    }

    private Mono<ModelInferResponse> infer(ReceivedInfer received, Permissions permissions) {
        var timeline = new RequestTimeline("gRPC", ModelOperation.INFER);
        timeline.asksFor(received.message().getModelName());
        recent.keep(timeline);
        return runs.in(timeline, Mono.defer(() -> infer(received, permissions, timeline)))
                .doOnSuccess(_ -> timeline.answered(Status.Code.OK.name()))
                .doOnError(failure -> timeline.answered(
                        GrpcFailures.of(failure).getStatus().getCode().name()))
                .doFinally(end -> {
                    if (end == SignalType.CANCEL) {
                        timeline.end(Status.Code.CANCELLED.name());
                    } else {
                        timeline.end();
                    }
                });
    }

    private Mono<ModelInferResponse> infer(ReceivedInfer received, Permissions permissions, RequestTimeline timeline) {
        received.requireMessage();
        var message = received.message();
        permissions.requireInfer(message.getModelName());
        LoadedVersion version = repository.acquire(message.getModelName(), message.getModelVersion());
        InferRequest request;
        try {
            request = InferMessages.request(message, received.inputs(), deadline());
            timeline.hasRows(version.rows(request));
        } catch (RuntimeException e) {
            version.release();
            throw e;
        }
        timeline.understood(version.name(), version.version());
        return version.infer(request)
                .map(outputs -> InferMessages.response(message, version, outputs))
                .doFinally(_ -> request.close());
    }

    private static @Nullable Instant deadline() {
        Deadline deadline = Context.current().getDeadline();
        return deadline == null ? null : Instant.now().plusNanos(deadline.timeRemaining(TimeUnit.NANOSECONDS));
    }
}
