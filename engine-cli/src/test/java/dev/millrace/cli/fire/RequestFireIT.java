package dev.millrace.cli.fire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.session.Inference;
import dev.millrace.session.Inputs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Hooks;

/**
 * Requests of all kinds of sessions from several threads: plain, batched, replaced, stateful, stateful in batches, streams and
 * generations. Each one that is accepted ends once, the healthy ones with an answer where nobody closes their session, and the
 * sessions answer afterwards.
 */
@Tag("fuzz")
@Tag("slow")
class RequestFireIT {
    private static final int ATTEMPTS = 25;
    private static final int THREADS = 3;
    private static final int REQUESTS = 67;
    private static final Duration LONG = Duration.ofSeconds(30);

    private int requests;
    private int answered;
    private int scenesClosed;

    @BeforeAll
    static void whatSubscribersThrowIsNotPrinted() {
        Thread.setDefaultUncaughtExceptionHandler((_, thrown) -> printUnlessOwn(thrown));
        Hooks.onErrorDropped(RequestFireIT::printUnlessOwn);
    }

    @AfterAll
    static void uncaughtExceptionsArePrinted() {
        Thread.setDefaultUncaughtExceptionHandler(null);
        Hooks.resetOnErrorDropped();
    }

    private static void printUnlessOwn(Throwable thrown) {
        if (!String.valueOf(thrown.getMessage()).endsWith("'s own")) {
            thrown.printStackTrace();
        }
    }

    @Test
    void everyRequestThatIsAcceptedEndsOnce() throws Exception {
        Fire.attempts("requests", ATTEMPTS, this, this::attack);
        assertThat(answered).isPositive();
    }

    private void attack(Random random) throws InterruptedException, ExecutionException {
        boolean closes = random.nextInt(3) == 0;
        var scene = new MisuseScene();
        try {
            List<RequestStorm> storms = new ArrayList<>();
            List<FutureTask<Void>> threads = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                var storm = new RequestStorm(scene, new Random(random.nextLong()));
                storms.add(storm);
                var task = new FutureTask<Void>(() -> storm.ask(REQUESTS), null);
                threads.add(task);
                Thread.ofPlatform().daemon().start(task);
            }
            if (closes) {
                for (int spins = random.nextInt(100_000); spins > 0; spins--) {
                    Thread.onSpinWait();
                }
                closeSome(scene, random);
            }
            for (FutureTask<Void> thread : threads) {
                thread.get();
            }
            List<String> wrong = new ArrayList<>();
            for (RequestStorm storm : storms) {
                count(storm, closes, wrong);
            }
            if (!closes) {
                answersAfterwards(scene);
            }
            if (!wrong.isEmpty()) {
                throw new AssertionError(
                        wrong.size() + " requests go wrong" + (closes ? " as sessions are closed: " : ": ") + wrong);
            }
        } finally {
            scene.close();
        }
    }

    private void closeSome(MisuseScene scene, Random random) {
        scenesClosed++;
        switch (random.nextInt(5)) {
            case 0 -> scene.session.close(Duration.ZERO);
            case 1 -> scene.session.close();
            case 2 -> scene.replaceable.close();
            case 3 -> scene.stateful.close();
            default -> scene.adding.close(Duration.ZERO);
        }
    }

    private void count(RequestStorm storm, boolean closes, List<String> wrong) throws InterruptedException {
        for (TrackedRequest request : storm.requests()) {
            requests++;
            String what = request.wrong();
            if (what != null) {
                wrong.add(what);
            }
            answered += request.isAnswered() ? 1 : 0;
        }
        for (TrackedRequest request : storm.healthy()) {
            if (!closes && !request.isAnswered() && !request.isRefusedAsGivenUp()) {
                wrong.add(request + " is not answered, which nothing was wrong with");
            }
        }
    }

    private static void answersAfterwards(MisuseScene scene) {
        Inputs step = MisuseScene.STEP;
        answers(scene.session, MisuseScene.INPUTS);
        answers(scene.batched, MisuseScene.INPUTS);
        answers(scene.replaceable, MisuseScene.INPUTS);
        answers(scene.stateful.sequence(0), step);
        answers(scene.together.sequence(0), step);
        answers(scene.sequence, step);
    }

    private static void answers(Inference asked, Inputs inputs) {
        var answer = asked.mono(inputs).block(LONG);
        if (answer == null) {
            throw new AssertionError(asked + " answers nothing afterwards");
        }
        answer.close();
    }

    @Override
    public String toString() {
        return requests + " requests, " + answered + " answered, " + scenesClosed + " times with sessions closed";
    }
}
