package dev.millrace.session.generate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.tensor.Datum;
import dev.millrace.session.FluxOptions;
import dev.millrace.session.Inference;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.RunOptions;
import dev.millrace.session.RunResult;
import dev.millrace.session.ValueInfo;
import dev.millrace.session.stream.StepFlux;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

class RunChainTest {
    private static final Outputs NONE = new Outputs(List.of(), new Datum[0]);

    /** Answers a first run before its subscription returns, and the others later. */
    private static final class EarlyAnswers implements Inference {
        private int runs;

        @Override
        public List<ValueInfo> inputs() {
            return List.of();
        }

        @Override
        public List<ValueInfo> outputs() {
            return List.of();
        }

        @Override
        public Outputs run(Inputs inputs, RunOptions options) {
            runs++;
            return NONE;
        }

        @Override
        public Mono<Outputs> mono(Inputs inputs, RunOptions options) {
            Mono<Outputs> answer = Mono.just(NONE);
            return runs++ == 0 ? answer : answer.delayElement(Duration.ofMillis(20));
        }

        @Override
        public Flux<Outputs> flux(Publisher<? extends Inputs> requests, FluxOptions options) {
            return Flux.from(requests).map(inputs -> run(inputs, RunOptions.defaults()));
        }

        @Override
        public Flux<RunResult> results(Publisher<? extends Inputs> requests, FluxOptions options) {
            return Flux.empty();
        }

        @Override
        public int concurrency() {
            return 1;
        }
    }

    /** A chain whose one step takes three runs. */
    private static final class ThreeRuns extends RunChain<Integer> {
        private final Inference inference;
        private int taken;

        ThreeRuns(Inference inference) {
            this.inference = inference;
        }

        @Override
        Inference inference() {
            return inference;
        }

        @Override
        Inputs inputs() {
            return Inputs.empty();
        }

        @Override
        RunOptions options() {
            return RunOptions.defaults();
        }

        @Override
        @Nullable
        Integer taken(Outputs outputs) {
            taken++;
            return taken < 3 ? null : Integer.valueOf(taken);
        }

        @Override
        public boolean isDone() {
            return taken == 3;
        }

        @Override
        public void close() {
            // nothing is held
        }
    }

    @Test
    void aRunThatEndsBeforeItsSubscriptionReturnsDoesNotStopTheNextOne() {
        assertThat(new StepFlux<>(_ -> new ThreeRuns(new EarlyAnswers())).blockLast(Duration.ofSeconds(20)))
                .isEqualTo(3);
    }

    @Test
    void aStepOnThisThreadTakesAsManyRuns() {
        assertThat(new ThreeRuns(new EarlyAnswers()).run()).isEqualTo(3);
    }
}
