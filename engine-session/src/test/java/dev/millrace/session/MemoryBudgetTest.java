package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.tensor.Tensor;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Tests that the sessions of an engine stay within its memory budget together. */
class MemoryBudgetTest {
    private static final int WIDTH = 128;
    /** The bytes of a layer and its bias. */
    private static final long WEIGHTS = 4L * (WIDTH * WIDTH + WIDTH);

    private static Engine engine(long budget) {
        return Engine.create(
                EngineOptions.builder().threads(1).memoryBudget(budget).build());
    }

    private static Session session(Engine engine, long seed) {
        return engine.session(TestModels.perceptron(2, WIDTH, seed), SessionOptions.defaults());
    }

    private static Inputs rows(int count) {
        return Inputs.of("x", Tensor.copyOf(new float[count * WIDTH], count, WIDTH));
    }

    private static void refused(ThrowingCallable what) {
        assertThatThrownBy(what)
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(Status.BUDGET_EXCEEDED))
                .hasMessageContaining("memory budget");
    }

    @Test
    void aSessionThatDoesNotFitIsRefusedUntilAnotherOneIsClosed() {
        try (Engine engine = engine(5 * WEIGHTS);
                Session first = session(engine, 1)) {
            try (Session second = session(engine, 2)) {
                refused(() -> session(engine, 3));
                second.run(rows(1)).close();
            }
            try (Session third = session(engine, 3)) {
                third.run(rows(1)).close();
            }
            first.run(rows(1)).close();
        }
    }

    @Test
    void aSessionThatCouldNotBeMadeHoldsNothing() {
        try (Engine engine = engine(3 * WEIGHTS)) {
            var unknown = SessionOptions.builder().provider("none").build();
            for (int i = 0; i < 3; i++) {
                assertThatThrownBy(() -> engine.session(TestModels.perceptron(2, WIDTH, 1), unknown))
                        .isInstanceOf(EngineException.class)
                        .hasMessageContaining("none");
            }
            session(engine, 1).close();
        }
    }

    @Test
    void whatRunsLeftGivesWay() {
        try (Engine engine = engine(5 * WEIGHTS);
                Session first = session(engine, 1)) {
            first.run(rows(256)).close();
            assertThat(first.stretches()).isNotEmpty();
            try (Session second = session(engine, 2)) {
                second.run(rows(1)).close();
                first.run(rows(1)).close();
            }
        }
    }

    @Test
    void aRunThatNeedsMoreThanThereIsIsRefused() {
        try (Engine engine = engine(3 * WEIGHTS);
                Session session = session(engine, 1)) {
            refused(() -> session.run(rows(4096)));
            session.run(rows(1)).close();
        }
    }

    @Test
    @Rows(136)
    void aSessionGivesBackWhatABurstNeededWhenItIsAskedTo() {
        Session[] closed = new Session[1];
        try (Engine engine = engine(64 * WEIGHTS);
                Session session = session(engine, 1)) {
            closed[0] = session;
            session.run(rows(16)).close();
            session.trim();
            session.run(rows(16)).close();
        }
        assertThatThrownBy(() -> closed[0].trim()).hasMessageContaining("closed");
    }

    @Test
    void aBudgetOfNothingIsRefused() {
        assertThatThrownBy(() -> EngineOptions.builder().memoryBudget(0).build())
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("budget");
    }
}
