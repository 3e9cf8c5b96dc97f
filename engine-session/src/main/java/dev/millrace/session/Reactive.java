package dev.millrace.session;

import dev.millrace.graph.EngineException;
import dev.millrace.scheduler.Cancellation;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/** Sessions as publishers. Apart from {@link Session} so that blocking runs load no class of Reactor. */
final class Reactive {
    private Reactive() {}

    static Mono<Outputs> mono(Session session, Inputs inputs) {
        return Mono.create(sink -> {
            var cancellation = new Cancellation();
            sink.onCancel(cancellation::cancel);
            session.runLater(inputs, cancellation, new Answer(sink, cancellation));
        });
    }

    /** Hands the answer of one run on, unless nobody wants it any more. */
    private record Answer(MonoSink<Outputs> sink, Cancellation cancellation) implements Session.Receiver {
        @Override
        public void answered(Outputs outputs) {
            if (cancellation.isCancelled()) {
                outputs.close();
            } else {
                sink.success(outputs);
            }
        }

        @Override
        public void failed(EngineException failure) {
            if (!cancellation.isCancelled()) {
                sink.error(failure);
            }
        }
    }

    static Flux<Outputs> flux(Session session, Publisher<? extends Inputs> requests, int concurrency) {
        return new InferenceFlux<>(session, requests, concurrency, ANSWERS);
    }

    static Flux<RunResult> results(Session session, Publisher<? extends Inputs> requests, int concurrency) {
        return new InferenceFlux<>(session, requests, concurrency, RESULTS);
    }

    private static final InferenceFlux.Delivery<Outputs> ANSWERS = new InferenceFlux.Delivery<>() {
        @Override
        public Outputs answer(Inputs request, Outputs outputs) {
            return outputs;
        }

        @Override
        public @Nullable Outputs failure(Inputs request, EngineException failure) {
            return null;
        }
    };

    private static final InferenceFlux.Delivery<RunResult> RESULTS = new InferenceFlux.Delivery<>() {
        @Override
        public RunResult answer(Inputs request, Outputs outputs) {
            return new RunResult(request, outputs, null);
        }

        @Override
        public RunResult failure(Inputs request, EngineException failure) {
            return new RunResult(request, null, failure);
        }
    };
}
