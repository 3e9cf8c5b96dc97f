package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.optimise.Optimiser;
import dev.millrace.graph.optimise.pass.Level;
import dev.millrace.providers.testkit.device.ThreadedFactory;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Tests that the only thread of an engine is free for other sessions while a device works, whatever it works for. */
@Timeout(60)
class DeviceThreadsTest {
    private static final int WIDTH = 16;
    private static final int OPERATION_NANOS = 50_000_000;

    private final ThreadedFactory device = new ThreadedFactory("slow", OPERATION_NANOS);
    private final Engine engine = Engine.create(
            EngineOptions.builder().threads(1).providers(List.of(device)).build());

    @AfterEach
    void close() {
        engine.close();
    }

    private Session session(byte[] model, String... providers) {
        var options = SessionOptions.builder()
                .optimiser(Optimiser.Options.builder().level(Level.DISABLED).build());
        for (String provider : providers) {
            options.provider(provider);
        }
        return engine.session(model, options.build());
    }

    /** Starts work on the device, and expects the answer of a session of the host before it ends. */
    private void assertThreadIsFree(byte[] model, Function<Session, Mono<?>> work) throws Exception {
        try (Session slow = session(model, "slow", "cpu");
                Session host = session(TestModels.perceptron(1, WIDTH, 1), "cpu")) {
            work.apply(slow).block();
            host.mono(request()).doOnNext(Outputs::close).block();
            CompletableFuture<?> busy = work.apply(slow).toFuture();
            // the device is at work
            Thread.sleep(OPERATION_NANOS / 1_000_000);
            host.mono(request()).doOnNext(Outputs::close).block();
            assertThat(busy).isNotDone();
            busy.get();
        }
    }

    private static Inputs request() {
        return Inputs.of("x", TestModels.halves(WIDTH));
    }

    private static byte[] perceptron() {
        return TestModels.perceptron(2, WIDTH, 1);
    }

    @Test
    void aRunHoldsNoThread() throws Exception {
        assertThreadIsFree(perceptron(), slow -> slow.mono(request()).doOnNext(Outputs::close));
    }

    @Test
    void aStreamHoldsNoThread() throws Exception {
        assertThreadIsFree(
                perceptron(),
                slow -> slow.flux(Flux.range(0, 2).map(_ -> request()))
                        .doOnNext(Outputs::close)
                        .then());
    }

    @Test
    void aBatchHoldsNoThread() throws Exception {
        assertThreadIsFree(
                perceptron(),
                slow -> slow.batched(
                                BatchOptions.builder().maxDelay(Duration.ZERO).build())
                        .mono(request())
                        .doOnNext(Outputs::close));
    }

    @Test
    void anElementOfASequenceHoldsNoThread() throws Exception {
        assertThreadIsFree(TestModels.sumAndProduct(), slow -> {
            StatefulSession stateful = slow.stateful(State.carry("sum", "b").ofZeros(1));
            return stateful.sequence("one")
                    .mono(Inputs.of("a", 1f))
                    .doOnNext(Outputs::close)
                    .doFinally(_ -> stateful.close());
        });
    }

    @Test
    void aPipelineHoldsNoThread() throws Exception {
        assertThreadIsFree(
                perceptron(),
                slow -> slow.then(slow, Map.of("y", "x")).mono(request()).doOnNext(Outputs::close));
    }
}
