package dev.millrace.cli.fire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.fire.Guard.Outcome;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.RunOptions;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

/** Calls in any order, from any thread, with nothing where something belongs: an answer or an {@link EngineException}. */
class MisuseFireIT {
    private static final int ATTEMPTS = 500;
    private static final int CALLS = 14;
    private static final byte[] MODEL = FireModels.perceptron();
    private static final Inputs INPUTS = Inputs.of("x", Tensor.copyOf(new float[24], 2, 12));

    private int calls;
    private int refused;

    /** What is there to be misused. */
    private static final class Scene {
        final Engine engine = Engine.create(EngineOptions.defaults().withThreads(2));
        Session session = engine.session(MODEL, SessionOptions.defaults());
        final Cancellation cancellation = new Cancellation();
        final List<Outputs> kept = new ArrayList<>();

        Outputs run() {
            Outputs outputs = session.run(INPUTS, RunOptions.create().cancelledBy(cancellation));
            kept.add(outputs);
            return outputs;
        }

        @Nullable
        Outputs last() {
            return kept.isEmpty() ? null : kept.getLast();
        }
    }

    @Test
    void callsInAnyOrderAnswerOrAreRefused() throws Exception {
        Fire.attempts("misuse", ATTEMPTS, this, this::attack);
        assertThat(refused).isLessThan(calls);
    }

    private void attack(Random random) {
        Outcome<Scene> outcome = Guard.outcome("a session that is misused", _ -> {
            var scene = new Scene();
            for (int i = 0; i < CALLS; i++) {
                calls++;
                int call = random.nextInt(22);
                switch (random.nextInt(5)) {
                    case 0 -> elsewhere(Thread.ofVirtual(), scene, call, random.nextInt(200));
                    case 1 -> elsewhere(Thread.ofPlatform().daemon(), scene, call, random.nextInt(200));
                    default -> {
                        if (!isAnswered(scene, call)) {
                            refused++;
                        }
                    }
                }
            }
            scene.session.close();
            scene.engine.close();
            return scene;
        });
        if (!outcome.isAnswer()) {
            throw new AssertionError("a misused session does not end: " + outcome.refusal());
        }
    }

    /** While two others run; what is called may be anything, the session's end included. */
    private static void elsewhere(Thread.Builder threads, Scene scene, int call, int spins) {
        var escaped = new AtomicReference<@Nullable Throwable>();
        Session session = scene.session;
        Thread runner = threads.start(() -> {
            try {
                for (int i = 0; i < 5; i++) {
                    session.run(INPUTS).close();
                }
            } catch (EngineException closed) {
                // as it should be
            } catch (Throwable e) {
                escaped.set(e);
            }
        });
        for (int i = 0; i < spins; i++) {
            Thread.onSpinWait();
        }
        isAnswered(scene, call);
        if (call % 2 == 0) {
            runner.interrupt();
        }
        try {
            runner.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        Throwable thrown = escaped.get();
        if (thrown != null) {
            throw new AssertionError("a run beside call " + call + " lets out " + thrown, thrown);
        }
    }

    private static boolean isAnswered(Scene scene, int call) {
        try {
            call(scene, call);
            return true;
        } catch (EngineException refused) {
            String accident = Accidents.in(refused);
            if (accident != null) {
                throw new AssertionError("call " + call + " " + accident, refused);
            }
            return false;
        } catch (RuntimeException | Error e) {
            throw new AssertionError("call " + call + " lets out " + e, e);
        }
    }

    @SuppressWarnings({"NullAway", "DataFlowIssue"}) // nulls are what is tried
    private static void call(Scene scene, int call) {
        Session session = scene.session;
        Outputs last = scene.last();
        switch (call) {
            case 0 -> session.close();
            case 1 -> scene.engine.close();
            case 2 -> session.run(null);
            case 3 -> session.run(INPUTS, null);
            case 4 -> session.run(Inputs.of("x", (Tensor) null));
            case 5 -> session.run(INPUTS, RunOptions.create().returning("nobody"));
            case 6 -> scene.engine.session((byte[]) null, SessionOptions.defaults());
            case 7 -> scene.engine.session((Path) null);
            case 8 -> scene.engine.session(MODEL, null);
            case 9 -> scene.session = scene.engine.session(MODEL, SessionOptions.defaults());
            case 10 -> scene.cancellation.cancel();
            case 11 ->
                session.flux(Flux.just(INPUTS, INPUTS, INPUTS))
                        .take(2)
                        .toIterable()
                        .forEach(Outputs::close);
            case 12 -> session.mono(INPUTS).blockOptional().ifPresent(Outputs::close);
            case 13 -> session.flux(null);
            case 14 -> session.mono(null);
            case 15 -> {
                Thread.currentThread().interrupt();
                try {
                    scene.run();
                } finally {
                    Thread.interrupted();
                }
            }
            case 16 -> {
                if (last != null) {
                    last.close();
                    last.close();
                }
            }
            case 17 -> {
                if (last != null) {
                    last.get(0).floats();
                    last.get("nobody");
                }
            }
            case 18 -> session.report();
            case 19 -> session.stretches();
            default -> {
                Outputs outputs = scene.run();
                outputs.get(0).floats();
            }
        }
    }

    @Override
    public String toString() {
        return calls + " calls, " + refused + " of those on the main thread refused";
    }
}
