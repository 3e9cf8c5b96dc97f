package dev.millrace.session;

import dev.millrace.graph.EngineException;
import dev.millrace.session.stream.InferenceFlux;
import dev.millrace.session.stream.Runs;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;

/** What streams of answers hand out. Apart from {@link Session} so that blocking runs load no class of Reactor. */
final class Deliveries {
    private Deliveries() {}

    static Flux<Outputs> flux(Runs<Inputs, Outputs> runs, Publisher<? extends Inputs> requests, int concurrency) {
        return new InferenceFlux<>(runs, requests, concurrency, new Answers());
    }

    static Flux<RunResult> results(Runs<Inputs, Outputs> runs, Publisher<? extends Inputs> requests, int concurrency) {
        return new InferenceFlux<>(runs, requests, concurrency, new Results());
    }

    private static final class Answers implements InferenceFlux.Delivery<Inputs, Outputs, Outputs> {
        @Override
        public Outputs answer(Inputs request, Outputs answer) {
            return answer;
        }

        @Override
        public @Nullable Outputs failure(Inputs request, EngineException failure) {
            return null;
        }

        @Override
        public void drop(Outputs answer) {
            answer.close();
        }
    }

    private static final class Results implements InferenceFlux.Delivery<Inputs, Outputs, RunResult> {
        @Override
        public RunResult answer(Inputs request, Outputs answer) {
            return new RunResult(request, answer, null);
        }

        @Override
        public RunResult failure(Inputs request, EngineException failure) {
            return new RunResult(request, null, failure);
        }

        @Override
        public void drop(Outputs answer) {
            answer.close();
        }
    }
}
