package dev.millrace.onnxruntime.both;

import static org.assertj.core.api.Assertions.assertThat;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import ai.onnxruntime.OrtSession.SessionOptions;
import java.util.ArrayList;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sessions and tensors that several threads use at the same time. */
@Tag("reference")
class ThreadsTest {
    private static final int THREADS = 4;
    private static final int RUNS = 200;

    private final OrtEnvironment environment = OrtEnvironment.getEnvironment();

    private float runMany(OrtSession session, OnnxTensor shared, float seed) throws OrtException {
        float last = 0;
        for (int i = 0; i < RUNS; i++) {
            float mine = seed + i;
            try (var own = OnnxTensor.createTensor(environment, new float[][] {{mine, mine}});
                    var result = session.run(Map.of("in0", shared, "in1", own))) {
                last = ((float[][]) result.get(0).getValue())[0][1];
                assertThat(last).isEqualTo(mine + 2);
            }
        }
        return last;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void oneSessionServesAllThreads(int threads) throws Exception {
        try (var options = new SessionOptions()) {
            options.setIntraOpNumThreads(threads);
            try (ExecutorService pool = Executors.newFixedThreadPool(THREADS);
                    OrtSession session = environment.createSession(SmallModels.sum(), options);
                    var shared = OnnxTensor.createTensor(environment, new float[][] {{1, 2}})) {
                var answers = new ArrayList<Future<Float>>();
                for (int thread = 0; thread < THREADS; thread++) {
                    float seed = 1000 * thread;
                    Callable<Float> work = () -> runMany(session, shared, seed);
                    answers.add(pool.submit(work));
                }
                for (int thread = 0; thread < THREADS; thread++) {
                    assertThat(answers.get(thread).get()).isEqualTo(1000 * thread + RUNS + 1);
                }
            }
        }
    }
}
