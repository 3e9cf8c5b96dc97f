package dev.millrace.cli.fire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.fire.Guard.Outcome;
import dev.millrace.cli.fire.MisuseCalls.Call;
import dev.millrace.graph.EngineException;
import dev.millrace.session.Session;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Calls in any order, from any thread, with nothing where something belongs: an answer or an {@link EngineException}. */
@Tag("fuzz")
@Tag("slow")
class MisuseFireIT {
    private static final int ATTEMPTS = 1_000;
    private static final int CALLS = 14;

    private int calls;
    private int refused;

    @Test
    void callsInAnyOrderAnswerOrAreRefused(@TempDir Path folder) throws Exception {
        Path file = Files.write(folder.resolve("model.onnx"), MisuseScene.MODEL);
        var all = new ArrayList<>(new SessionCalls().all());
        all.addAll(new StreamCalls(file).all());
        Fire.attempts("misuse", ATTEMPTS, this, random -> attack(all, random));
        assertThat(refused).isLessThan(calls);
    }

    private void attack(List<Call> all, Random random) {
        Outcome<MisuseScene> outcome = Guard.outcome("a session that is misused", _ -> {
            try (var scene = new MisuseScene()) {
                for (int i = 0; i < CALLS; i++) {
                    calls++;
                    Call call = all.get(random.nextInt(all.size()));
                    switch (random.nextInt(5)) {
                        case 0 -> elsewhere(Thread.ofVirtual(), scene, call, random);
                        case 1 -> elsewhere(Thread.ofPlatform().daemon(), scene, call, random);
                        default -> {
                            if (!isAnswered(scene, call)) {
                                refused++;
                            }
                        }
                    }
                }
                return scene;
            }
        });
        if (!outcome.isAnswer()) {
            throw new AssertionError("a misused session does not end: " + outcome.refusal());
        }
    }

    /** While two others run; what is called may be anything, the session's end included. */
    private static void elsewhere(Thread.Builder threads, MisuseScene scene, Call call, Random random) {
        var escaped = new AtomicReference<@Nullable Throwable>();
        Session session = scene.session;
        Thread runner = threads.start(() -> {
            try {
                for (int i = 0; i < 5; i++) {
                    session.run(MisuseScene.INPUTS).close();
                }
            } catch (EngineException closed) {
                // as it should be
            } catch (Throwable e) {
                escaped.set(e);
            }
        });
        for (int spins = random.nextInt(200); spins > 0; spins--) {
            Thread.onSpinWait();
        }
        isAnswered(scene, call);
        if (random.nextBoolean()) {
            runner.interrupt();
        }
        try {
            runner.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        Throwable thrown = escaped.get();
        if (thrown != null) {
            throw new AssertionError("a run beside '" + call.name() + "' lets out " + thrown, thrown);
        }
    }

    private static boolean isAnswered(MisuseScene scene, Call call) {
        try {
            call.action().accept(scene);
            return true;
        } catch (EngineException refused) {
            String accident = Accidents.in(refused);
            if (accident != null) {
                throw new AssertionError("'" + call.name() + "' " + accident, refused);
            }
            return false;
        } catch (RuntimeException | Error e) {
            StackTraceElement[] stack = e.getStackTrace();
            throw new AssertionError(
                    "'" + call.name() + "' lets out " + e + (stack.length > 0 ? " at " + stack[0] : ""), e);
        }
    }

    @Override
    public String toString() {
        return calls + " calls, " + refused + " of those on the main thread refused";
    }
}
