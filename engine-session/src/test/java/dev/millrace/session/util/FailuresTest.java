package dev.millrace.session.util;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import dev.millrace.session.TestModels;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.test.StepVerifier;

/** Nothing but the engine's own exception leaves it, and it works on. */
@Timeout(60)
class FailuresTest {
    private final Engine engine =
            Engine.create(EngineOptions.builder().threads(2).build());

    @AfterEach
    void closeEngine() {
        engine.close();
    }

    private static void refused(ThrowingCallable call, String message) {
        assertThatThrownBy(call).isInstanceOf(EngineException.class).hasMessageContaining(message);
    }

    @Test
    void moreElementsThanThereIsMemoryForAreRefused() {
        try (Session session = engine.session(TestModels.range(), SessionOptions.defaults())) {
            refused(
                    () -> session.run(Inputs.of("limit", Tensor.scalar(1L << 40))),
                    "output 'y' of shape [1099511627776]");
            try (Outputs out = session.run(Inputs.of("limit", Tensor.scalar(3L)))) {
                assertThat(out.get("y").longs()).containsExactly(0, 1, 2);
            }
        }
    }

    @Test
    void typesThatAModelLeavesOpenHaveToGoTogetherInARun() {
        for (String provider : List.of("simd", "cpu")) {
            var options = SessionOptions.builder().provider(provider);
            if (provider.equals("simd")) {
                options.provider("cpu");
            }
            try (Session session = engine.session(TestModels.clipped(), options.build())) {
                refused(
                        () -> session.run(Inputs.of("x", Tensor.copyOf(new float[] {1, -2}, 2))),
                        "input 1 ('min') is int8, but has to be float");
                Tensor bytes = Tensor.allocate(ElementType.INT8, Shape.of(2));
                try (Outputs out = session.run(Inputs.of("x", bytes))) {
                    assertThat(out.get("y").longs()).containsExactly(0, 0);
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {Integer.MAX_VALUE, 1L << 31, 1L << 40})
    void moreStringsThanAnArrayHoldsAreRefused(long count) {
        try (Session session = engine.session(TestModels.expandedText(), SessionOptions.defaults())) {
            refused(() -> session.run(expanded(count)), "strings");
            try (Outputs out = session.run(expanded(2))) {
                assertThat(out.get("y").strings()).containsExactly("a", "a");
            }
        }
    }

    private static Inputs expanded(long count) {
        return Inputs.of("text", Tensor.ofStrings(Shape.SCALAR, "a"))
                .and("shape", Tensor.copyOf(new long[] {count}, 1));
    }

    @Test
    @SuppressWarnings("NullAway")
    void argumentsThatAreNullAreNamed() {
        try (Session session = engine.session(TestModels.sumAndProduct(), SessionOptions.defaults())) {
            Inputs inputs = Inputs.of("a", 1f);
            refused(() -> session.run(null), "'inputs'");
            refused(() -> session.run(inputs, null), "'options'");
            refused(() -> session.mono(null), "'inputs'");
            refused(() -> session.flux(null), "'requests'");
        }
        refused(() -> Engine.create(null), "'options'");
        refused(() -> engine.session((Path) null), "'model'");
        refused(() -> engine.session((byte[]) null, SessionOptions.defaults()), "'model'");
        refused(() -> engine.session((MemorySegment) null, SessionOptions.defaults()), "'model'");
        refused(() -> engine.session(TestModels.sumAndProduct(), null), "'options'");
    }

    @Test
    void asynchronousRunsOfAClosedEngineEndWithTheEnginesError() {
        try (Session session = engine.session(TestModels.sumAndProduct(), SessionOptions.defaults())) {
            engine.close();
            Inputs inputs = Inputs.of("a", 1f).and("b", Tensor.copyOf(new float[] {1}, 1));
            StepVerifier.create(session.mono(inputs))
                    .expectErrorSatisfies(FailuresTest::assertClosed)
                    .verify();
            StepVerifier.create(session.flux(Flux.just(inputs)))
                    .expectErrorSatisfies(FailuresTest::assertClosed)
                    .verify();
        }
    }

    private static void assertClosed(Throwable thrown) {
        assertThat(thrown)
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(Status.CLOSED))
                .hasMessageContaining("engine is closed");
    }
}
