package dev.millrace.providers.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.providers.testkit.device.Fault;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.session.Health;
import dev.millrace.session.Outputs;
import dev.millrace.session.RunOptions;
import dev.millrace.session.Session;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;

/** Tests runs that end otherwise than well, and that those beside them do not notice. */
final class FaultSuite {
    private static final int RUNS = 24;
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final Subject subject;

    FaultSuite(Subject subject) {
        this.subject = subject;
    }

    /** Returns the first small model that the provider takes a part of; where there is none, the test is skipped. */
    private static SmallModel taken(Subject.Host host) {
        for (SmallModel model : SmallModel.all()) {
            try (Session session = host.session(model.bytes())) {
                if (host.takesPart(session)) {
                    return model;
                }
            }
        }
        return Assumptions.abort("the provider takes no node of the small models");
    }

    private void assertAnswers(Subject.Host host, Session session, SmallModel model) {
        try (Session reference = host.reference(model.bytes())) {
            var inputs = model.inputs(2, 2);
            RunAnswers.of(session, inputs)
                    .assertEqual(
                            RunAnswers.of(reference, inputs), subject.tests().tolerance(), model.name());
        }
    }

    /** Cancels runs before they begin and while they are under way. */
    void cancellation() {
        try (Subject.Host host = subject.host()) {
            SmallModel model = taken(host);
            try (Session session = host.session(model.bytes(), options -> options.queue(RUNS))) {
                for (int i = 0; i < RUNS; i++) {
                    var cancellation = new Cancellation();
                    RunOptions options =
                            RunOptions.builder().cancellation(cancellation).build();
                    CompletableFuture<@Nullable Outputs> run =
                            session.mono(model.inputs(3, i), options).toFuture();
                    cancellation.cancel();
                    assertEnded(run, Status.CANCELLED);
                }
                RunOptions late =
                        RunOptions.builder().within(Duration.ofNanos(1)).build();
                assertEnded(session.mono(model.inputs(3, 1), late).toFuture(), Status.DEADLINE_EXCEEDED);
                assertAnswers(host, session, model);
            }
        }
    }

    /** Waits for the end of a run, which is an answer or a failure of this status. */
    private static void assertEnded(CompletableFuture<@Nullable Outputs> run, Status status) {
        try {
            Outputs outputs = run.get(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
            if (outputs != null) {
                outputs.close();
            }
        } catch (ExecutionException | CompletionException e) {
            assertTrue(
                    e.getCause() instanceof EngineException failure && failure.status() == status,
                    () -> "a run ends with " + e.getCause() + ", and not with " + status);
        } catch (TimeoutException | InterruptedException e) {
            throw new AssertionError("a run does not end", e);
        }
    }

    /** Closes a session and its engine while runs are under way. */
    void closing() {
        var runs = new ArrayList<CompletableFuture<@Nullable Outputs>>();
        try (Subject.Host host = subject.host()) {
            SmallModel model = taken(host);
            Session session = host.session(model.bytes(), options -> options.queue(RUNS));
            for (int i = 0; i < RUNS; i++) {
                runs.add(session.mono(model.inputs(3, i)).toFuture());
            }
            assertTrue(session.close(LIMIT), "the runs end in time");
            for (CompletableFuture<@Nullable Outputs> run : runs) {
                assertEnded(run, Status.CANCELLED);
            }
            assertThrows(EngineException.class, () -> session.run(model.inputs(1, 0)));
            try (Session next = host.session(model.bytes())) {
                assertAnswers(host, next, model);
            }
        }
    }

    void unknownOption() {
        try (Subject.Host host = subject.host()) {
            SmallModel model = SmallModel.all().getFirst();
            var options =
                    host.options(Map.of("an option that no provider has", "1")).build();
            var refused = assertThrows(
                    EngineException.class,
                    () -> host.engine().session(model.bytes(), options).close());
            assertEquals(Status.INVALID_ARGUMENT, refused.status(), refused::getMessage);
            assertTrue(
                    String.valueOf(refused.getMessage()).contains("an option that no provider has"),
                    refused::getMessage);
        }
    }

    /** The options with which runs have a fault; where the provider cannot have it, the calling test is skipped. */
    private Map<String, String> failing(Fault fault) {
        @Nullable Map<String, String> options = subject.tests().failing(fault);
        return options == null ? Assumptions.abort("failing(" + fault + ") gives no options") : options;
    }

    /** Lets the runs of one session fail beside another session, which goes on. */
    void fault(Fault fault) {
        Map<String, String> failing = failing(fault);
        try (Subject.Host host = subject.host()) {
            SmallModel model = taken(host);
            try (Session good = host.session(model.bytes())) {
                assertAnswers(host, good, model);
                for (int round = 0; round < 3; round++) {
                    EngineException failure = failureOf(host, model, failing);
                    assertFalse(String.valueOf(failure.getMessage()).isEmpty());
                    assertAnswers(host, good, model);
                }
                assertEquals(Health.Condition.UP, good.health().condition(), "the session beside it is well");
            }
        }
    }

    /** The failure of a session with a fault, at its creation or in a run. */
    private static EngineException failureOf(Subject.Host host, SmallModel model, Map<String, String> failing) {
        return assertThrows(EngineException.class, () -> {
            try (Session bad =
                    host.engine().session(model.bytes(), host.options(failing).build())) {
                bad.run(model.inputs(2, 1)).close();
            }
        });
    }

    /** Loses the device: its sessions are down, and another engine's are not. */
    void lost() {
        Map<String, String> failing = failing(Fault.LOST);
        try (Subject.Host host = subject.host()) {
            SmallModel model = taken(host);
            try (Session bad =
                    host.engine().session(model.bytes(), host.options(failing).build())) {
                List<CompletableFuture<@Nullable Outputs>> runs = new ArrayList<>();
                for (int i = 0; i < 4; i++) {
                    runs.add(bad.mono(model.inputs(1, i)).toFuture());
                }
                for (CompletableFuture<@Nullable Outputs> run : runs) {
                    assertEnded(run, Status.EP_FAIL);
                    assertTrue(run.isCompletedExceptionally(), "a run on a lost device fails");
                }
                assertEquals(
                        Health.Condition.DOWN, bad.health().condition(), "health of a session whose device is lost");
            }
        }
        try (Subject.Host host = subject.host()) {
            SmallModel model = taken(host);
            try (Session next = host.session(model.bytes())) {
                assertAnswers(host, next, model);
            }
        }
    }
}
