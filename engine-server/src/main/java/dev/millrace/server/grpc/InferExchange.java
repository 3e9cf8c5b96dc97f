package dev.millrace.server.grpc;

import dev.millrace.server.protocol.InferParameter;
import dev.millrace.server.protocol.ModelInferRequest;
import dev.millrace.server.protocol.ModelInferResponse;
import dev.millrace.server.protocol.ModelStreamInferResponse;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * A call of ModelStreamInfer. Requests run side by side and are answered in their order; a failed one is answered with its
 * message, or ends the call with its status. A client that does not read its answers is not asked for further requests. When the
 * server ends, a call ends with its last answer.
 */
final class InferExchange implements StreamObserver<ReceivedInfer> {
    /** Waits for the other thread where a request arrives while the server ends. */
    private static final Sinks.EmitFailureHandler IN_TURN = Sinks.EmitFailureHandler.busyLooping(Duration.ofSeconds(1));

    private final ServerCallStreamObserver<ModelStreamInferResponse> call;
    private final Sinks.Many<ReceivedInfer> requests = Sinks.many().unicast().onBackpressureBuffer();
    /** The answered requests whose successors were not asked for yet. */
    private final AtomicInteger owed = new AtomicInteger();

    private final Disposable running;
    private volatile boolean isServerEnding;

    /**
     * @param underWay the requests that run side by side
     * @param endsByFailure whether a failed request ends the call
     * @param ended hears of the end of this call
     */
    InferExchange(
            ServerCallStreamObserver<ModelStreamInferResponse> call,
            Function<ReceivedInfer, Mono<ModelInferResponse>> infer,
            int underWay,
            boolean endsByFailure,
            Consumer<InferExchange> ended) {
        this.call = call;
        call.disableAutoRequest();
        Flux<ModelStreamInferResponse> answers = endsByFailure
                // a failure waits for the answers before it
                ? requests.asFlux()
                        .flatMapSequential(request -> answer(request, infer).materialize(), underWay)
                        .dematerialize()
                : requests.asFlux()
                        .flatMapSequential(
                                request -> answer(request, infer)
                                        .onErrorResume(failure -> Mono.just(failed(request.message(), failure))),
                                underWay);
        running = answers.doFinally(_ -> ended.accept(this))
                .subscribe(this::send, failure -> call.onError(GrpcFailures.of(failure)), this::complete);
        call.setOnCancelHandler(running::dispose);
        call.setOnReadyHandler(this::ask);
        call.request(underWay);
    }

    /** Returns an answer whose parameter tells clients that no further answer to their request follows. */
    private static ModelInferResponse last(ModelInferResponse answer) {
        var isLast = InferParameter.newBuilder().setBoolParam(true).build();
        return answer.toBuilder().putParameters("triton_final_response", isLast).build();
    }

    private static Mono<ModelStreamInferResponse> answer(
            ReceivedInfer request, Function<ReceivedInfer, Mono<ModelInferResponse>> infer) {
        return Mono.defer(() -> infer.apply(request))
                .map(answer -> ModelStreamInferResponse.newBuilder()
                        .setInferResponse(last(answer))
                        .build());
    }

    /** Returns the answer to a request that failed, with the id by which the client knows it. */
    private static ModelStreamInferResponse failed(ModelInferRequest request, Throwable failure) {
        return ModelStreamInferResponse.newBuilder()
                .setErrorMessage(
                        String.valueOf(GrpcFailures.of(failure).getStatus().getDescription()))
                .setInferResponse(last(ModelInferResponse.newBuilder()
                        .setModelName(request.getModelName())
                        .setModelVersion(request.getModelVersion())
                        .setId(request.getId())
                        .build()))
                .build();
    }

    /** Takes no further requests, and ends the call when those that are under way are answered. */
    void serverEnds() {
        isServerEnding = true;
        requests.emitComplete(IN_TURN);
    }

    private void complete() {
        if (isServerEnding) {
            call.onError(Status.UNAVAILABLE.withDescription("the server ends").asException());
        } else {
            call.onCompleted();
        }
    }

    private void send(ModelStreamInferResponse answer) {
        call.onNext(answer);
        owed.incrementAndGet();
        ask();
    }

    private void ask() {
        if (call.isReady()) {
            int count = owed.getAndSet(0);
            if (count > 0) {
                call.request(count);
            }
        }
    }

    @Override
    public void onNext(ReceivedInfer request) {
        requests.emitNext(request, IN_TURN);
    }

    @Override
    public void onError(Throwable failure) {
        running.dispose();
    }

    @Override
    public void onCompleted() {
        requests.emitComplete(IN_TURN);
    }
}
