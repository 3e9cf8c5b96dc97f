package dev.millrace.server.grpc;

import dev.millrace.server.protocol.InferParameter;
import dev.millrace.server.protocol.ModelInferRequest;
import dev.millrace.server.protocol.ModelInferResponse;
import dev.millrace.server.protocol.ModelStreamInferResponse;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * A call of ModelStreamInfer. Requests run side by side and are answered in their order; a failed one is answered with its
 * message. A client that does not read its answers is not asked for further requests.
 */
final class InferExchange implements StreamObserver<ReceivedInfer> {
    private static final int UNDER_WAY = 16;

    private final ServerCallStreamObserver<ModelStreamInferResponse> call;
    private final Sinks.Many<ReceivedInfer> requests = Sinks.many().unicast().onBackpressureBuffer();
    /** The answered requests whose successors were not asked for yet. */
    private final AtomicInteger owed = new AtomicInteger();

    private final Disposable running;

    InferExchange(
            ServerCallStreamObserver<ModelStreamInferResponse> call,
            Function<ReceivedInfer, Mono<ModelInferResponse>> infer) {
        this.call = call;
        call.disableAutoRequest();
        running = requests.asFlux()
                .flatMapSequential(request -> answer(request, infer), UNDER_WAY)
                .subscribe(this::send, failure -> call.onError(GrpcFailures.of(failure)), call::onCompleted);
        call.setOnCancelHandler(running::dispose);
        call.setOnReadyHandler(this::ask);
        call.request(UNDER_WAY);
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
                        .build())
                .onErrorResume(failure -> Mono.just(failed(request.message(), failure)));
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
        requests.emitNext(request, Sinks.EmitFailureHandler.FAIL_FAST);
    }

    @Override
    public void onError(Throwable failure) {
        running.dispose();
    }

    @Override
    public void onCompleted() {
        requests.emitComplete(Sinks.EmitFailureHandler.FAIL_FAST);
    }
}
