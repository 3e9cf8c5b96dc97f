package dev.millrace.session.util;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.BatchOptions;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import dev.millrace.session.FluxOptions;
import dev.millrace.session.Inference;
import dev.millrace.session.Inputs;
import dev.millrace.session.RunContext;
import dev.millrace.session.RunOptions;
import dev.millrace.session.RunResult;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import dev.millrace.session.TestModels;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;

/** Tests that requests whose deadline has passed are refused, however soon they could be answered. */
@Timeout(60)
class DeadlineTest {
    private static final RunOptions LATE =
            RunOptions.builder().within(Duration.ofMillis(-1)).build();
    private static final Inputs INPUTS = Inputs.of("a", 3f).and("b", Tensor.copyOf(new float[] {2}, 1));

    @AutoClose
    private final Engine engine =
            Engine.create(EngineOptions.builder().threads(2).build());

    @AutoClose
    private final Session session = engine.session(TestModels.sumAndProduct(), SessionOptions.defaults());

    private static void assertLate(ThrowingCallable call) {
        assertThatThrownBy(call)
                .asInstanceOf(type(EngineException.class))
                .extracting(EngineException::status)
                .isEqualTo(Status.DEADLINE_EXCEEDED);
    }

    @Test
    void theMessageSaysWhichDeadlineWasMissedAndByHowMuch() {
        Instant deadline = Instant.now().minusSeconds(5);

        assertThatThrownBy(() -> session.run(
                        INPUTS, RunOptions.builder().deadline(deadline).build()))
                .hasMessageContaining(deadline.toString())
                .hasMessageFindingMatch("had passed [5-9]\\d{3} ms before it began");
        assertThatThrownBy(() -> session.run(
                        INPUTS, RunOptions.builder().deadline(Instant.MIN).build()))
                .hasMessageContaining("-1000000000-01-01T00:00:00Z");
    }

    @RepeatedTest(50)
    void everyFrontRefusesWhatIsLate() {
        Inference batched = session.batched(BatchOptions.builder().axis("n").build());
        Inference both = session.then(session, Map.of("sum", "a", "product", "b"));
        FluxOptions stream = FluxOptions.builder().deadline(Duration.ZERO).build();
        for (Inference front : List.of(session, batched, both)) {
            assertLate(() -> front.run(INPUTS, LATE));
            assertLate(() -> front.mono(INPUTS, LATE).block());
            assertLate(() -> front.mono(INPUTS)
                    .contextWrite(RunContext.within(Duration.ZERO))
                    .block());
            assertLate(() -> front.flux(Flux.just(INPUTS), stream).blockLast());
            RunResult result =
                    requireNonNull(front.results(Flux.just(INPUTS), stream).blockLast());
            assertLate(result::orThrow);
        }
    }
}
