package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

/** Sessions compute in memory that they share, one run at a time; no answer shows anything of another's. */
class SharedBlocksTest {
    private static final int SESSIONS = 4;
    private static final int THREADS = 6;
    private static final int RUNS = 60;
    private static final int BATCH = 96;
    private static final int WIDTH = 128;

    private static Inputs inputs(int seed) {
        float[] x = new float[BATCH * WIDTH];
        for (int i = 0; i < x.length; i++) {
            x[i] = (i * 31 + seed * 17) % 101 / 101f;
        }
        return Inputs.of("x", Tensor.copyOf(x, BATCH, WIDTH));
    }

    private static float[] answer(Session session, int seed) {
        try (Outputs outputs = session.run(inputs(seed))) {
            return outputs.get(0).floats();
        }
    }

    @Test
    void sessionsOfSeveralThreadsAnswerAsAlone() throws Exception {
        List<byte[]> models = new ArrayList<>();
        List<float[]> expected = new ArrayList<>();
        for (int i = 0; i < SESSIONS; i++) {
            models.add(TestModels.perceptron(3, WIDTH, i));
            try (Engine alone = Engine.create(EngineOptions.builder().threads(1).build());
                    Session session = alone.session(models.get(i), SessionOptions.defaults())) {
                expected.add(answer(session, i));
            }
        }
        try (Engine engine = Engine.create(EngineOptions.builder().threads(1).build());
                ExecutorService pool = Executors.newFixedThreadPool(THREADS)) {
            var sessions = new ArrayList<Session>();
            for (byte[] model : models) {
                sessions.add(engine.session(model, SessionOptions.defaults()));
            }
            var tasks = new ArrayList<Callable<Integer>>();
            for (int thread = 0; thread < THREADS; thread++) {
                int first = thread;
                tasks.add(() -> {
                    for (int run = 0; run < RUNS; run++) {
                        int which = (first + run) % SESSIONS;
                        assertThat(answer(sessions.get(which), which)).containsExactly(expected.get(which));
                    }
                    return RUNS;
                });
            }
            for (var done : pool.invokeAll(tasks)) {
                assertThat(done.get()).isEqualTo(RUNS);
            }
            sessions.forEach(Session::close);
        }
    }
}
