package dev.millrace.providers.tests;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.graph.optimise.Optimiser;
import dev.millrace.graph.optimise.pass.Level;
import dev.millrace.session.Outputs;
import dev.millrace.session.Session;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Compares answers of the provider with those of {@code cpu}. */
final class AnswerSuite {
    private static final int GRAPHS = Integer.getInteger("millrace.provider.graphs", 50);
    private static final int RUNS = 64;

    private final Subject subject;

    AnswerSuite(Subject subject) {
        this.subject = subject;
    }

    private double tolerance() {
        return subject.tests().tolerance();
    }

    /** Runs the models that need no file, as they are and optimised, with no row, one and some. */
    void smallModels() {
        var taken = new HashSet<String>();
        try (Subject.Host host = subject.host()) {
            for (SmallModel model : SmallModel.all()) {
                for (Level level : List.of(Level.ALL, Level.DISABLED)) {
                    taken.addAll(run(host, model, level));
                }
            }
        }
        assertFalse(taken.isEmpty(), "the provider takes no node of the small models");
        Set<String> expected = subject.tests().operators();
        assertTrue(taken.containsAll(expected), () -> "the provider takes " + taken + ", and is to take " + expected);
    }

    /** Runs a model at a level of the optimiser. Returns the operators of the nodes that the provider runs. */
    private List<String> run(Subject.Host host, SmallModel model, Level level) {
        var optimiser = Optimiser.Options.builder().level(level).build();
        try (Session session = host.session(model.bytes(), options -> options.optimiser(optimiser));
                Session reference = host.reference(model.bytes())) {
            for (int rows : new int[] {1, 5, 0, 1}) {
                var inputs = model.inputs(rows, rows);
                String what = model + " with a batch of " + rows + ", optimiser " + level;
                RunAnswers.of(session, inputs).assertEqual(RunAnswers.of(reference, inputs), tolerance(), what);
            }
            return operators(host, session);
        }
    }

    /** The operators of the nodes that the provider runs. */
    private static List<String> operators(Subject.Host host, Session session) {
        return session.report().partitions().stream()
                .filter(partition -> partition.provider().equals(host.provider()))
                .flatMap(partition -> partition.operators().keySet().stream())
                .toList();
    }

    /** Runs random graphs, as many as the property {@code millrace.provider.graphs} says. */
    void randomGraphs() {
        int taken = 0;
        try (Subject.Host host = subject.host()) {
            for (long seed = 0; seed < GRAPHS; seed++) {
                byte[] model = RandomModel.of(seed);
                try (Session session = host.session(model);
                        Session reference = host.reference(model)) {
                    taken += host.takesPart(session) ? 1 : 0;
                    for (int rows = 1; rows <= 3; rows++) {
                        var inputs = RandomModel.inputs(rows, seed);
                        RunAnswers.of(session, inputs)
                                .assertEqual(RunAnswers.of(reference, inputs), tolerance(), "random graph " + seed);
                    }
                }
            }
        }
        assertTrue(taken > 0, "the provider takes no node of the random graphs");
    }

    /** Has many runs in flight, each with an input of its own. */
    void manyRuns() {
        SmallModel model = SmallModel.quantised(2, 16, 9);
        try (Subject.Host host = subject.host();
                Session session = host.session(model.bytes(), options -> options.queue(RUNS));
                Session reference = host.reference(model.bytes())) {
            var answers = new ArrayList<Mono<RunAnswers>>();
            for (int i = 0; i < RUNS; i++) {
                answers.add(session.mono(model.inputs(1 + i % 3, i)).map(AnswerSuite::closed));
            }
            List<RunAnswers> all =
                    Flux.mergeSequential(answers, RUNS, 1).collectList().block();
            for (int i = 0; i < RUNS; i++) {
                RunAnswers expected = RunAnswers.of(reference, model.inputs(1 + i % 3, i));
                Objects.requireNonNull(all).get(i).assertEqual(expected, tolerance(), "run " + i);
            }
        }
    }

    private static RunAnswers closed(Outputs outputs) {
        try (outputs) {
            return RunAnswers.of(outputs);
        }
    }
}
