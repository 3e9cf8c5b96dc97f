package dev.millrace.onnxruntime.both;

import static org.assertj.core.api.Assertions.assertThat;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtException.OrtErrorCode;
import ai.onnxruntime.OrtSession;
import ai.onnxruntime.OrtSession.RunOptions;
import ai.onnxruntime.OrtSession.SessionOptions;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sessions and tensors that several threads use at the same time. */
@Tag("reference")
class ThreadsTest {
    private static final int THREADS = 4;
    private static final int RUNS = 200;
    /** The time that a thread has worked when its run is surely under way. */
    private static final long UNDER_WAY_NANOS = 100_000_000;

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

    @Test
    void aRunUnderWayTerminates() throws Exception {
        try (OrtSession session = environment.createSession(SmallModels.loop());
                var rounds = OnnxTensor.createTensor(environment, Long.MAX_VALUE);
                var x = OnnxTensor.createTensor(environment, new float[] {1});
                var options = new RunOptions()) {
            var code = new CompletableFuture<OrtErrorCode>();
            Thread runner = Thread.ofPlatform()
                    .start(() ->
                            code.complete(Failing.codeOf(() -> session.run(Map.of("n", rounds, "x", x), options))));
            ThreadMXBean threads = ManagementFactory.getThreadMXBean();
            while (threads.getThreadCpuTime(runner.threadId()) < UNDER_WAY_NANOS) {
                Thread.onSpinWait();
            }
            assertThat(code).isNotDone();
            options.setTerminate(true);
            assertThat(code.get()).isEqualTo(OrtErrorCode.ORT_FAIL);
            runner.join();
        }
    }
}
