package dev.millrace.flink;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.BitSet;
import java.util.concurrent.CountDownLatch;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.util.ratelimit.RateLimiterStrategy;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that each row of embeddings arrives exactly once though tasks and task managers fail. {@code -Dmillrace.flink.rows}
 * sets the number of rows.
 */
class ExactlyOnceTest {
    private static final int ROWS = Integer.getInteger("millrace.flink.rows", 100_000);
    /** The time that the source takes, at least, in seconds: it has to last for some checkpoints. */
    private static final int SECONDS = 2;

    private static TestCluster cluster;
    /** Counts down when a checkpoint is complete and a third of the rows have passed. */
    private static volatile CountDownLatch midway = new CountDownLatch(1);

    private static volatile boolean throwsOnce;

    @TempDir
    private Path folder;

    @BeforeAll
    static void start() throws Exception {
        cluster = TestCluster.shared();
    }

    /** Passes rows on, and fails once midway if it shall. */
    private static final class Failing extends RichMapFunction<Tuple2<Long, float[]>, Tuple2<Long, float[]>>
            implements CheckpointListener {
        private long passed;
        private boolean hasCheckpoint;

        @Override
        public Tuple2<Long, float[]> map(Tuple2<Long, float[]> row) {
            passed++;
            if (hasCheckpoint && passed > ROWS / 6 && midway.getCount() > 0) {
                midway.countDown();
                if (throwsOnce) {
                    throw new IllegalStateException("the task fails as the test wants it");
                }
            }
            return row;
        }

        @Override
        public void notifyCheckpointComplete(long checkpoint) {
            hasCheckpoint = true;
        }
    }

    private DataStream<Tuple2<Long, float[]>> embeddings() throws Exception {
        StreamExecutionEnvironment env = cluster.restarting(Duration.ofMillis(200));
        var numbers = new DataGeneratorSource<>(
                (Long number) -> number, ROWS, RateLimiterStrategy.perSecond((double) ROWS / SECONDS), Types.LONG);
        DataStream<Long> source = env.fromSource(numbers, WatermarkStrategy.noWatermarks(), "numbers");
        return NumberedWords.answered(source, NumberedWords.inside(folder))
                .map(new Failing())
                .returns(NumberedWords.TYPE);
    }

    private static void assertEachOnce(CloseableIterator<Tuple2<Long, float[]>> rows) {
        var seen = new BitSet(ROWS);
        while (rows.hasNext()) {
            Tuple2<Long, float[]> row = rows.next();
            int number = Math.toIntExact(row.f0);
            assertThat(seen.get(number)).as("row %d is there twice", number).isFalse();
            seen.set(number);
            assertThat(row.f1).containsExactly(NumberedWords.expected(number));
        }
        assertThat(seen.cardinality()).isEqualTo(ROWS);
        assertThat(midway.getCount()).as("failures that did not happen").isZero();
    }

    @Test
    void eachRowArrivesOnceThoughATaskFails() throws Exception {
        midway = new CountDownLatch(1);
        throwsOnce = true;
        try (CloseableIterator<Tuple2<Long, float[]>> rows = embeddings().executeAndCollect()) {
            assertEachOnce(rows);
        }
        assertThat(SharedEngine.isOpen()).isFalse();
    }

    @Test
    void eachRowArrivesOnceThoughATaskManagerFails() throws Exception {
        midway = new CountDownLatch(1);
        throwsOnce = false;
        var replacing = Thread.ofPlatform().unstarted(() -> {
            try {
                midway.await();
                cluster.replaceTaskManager();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        replacing.start();
        long start = System.nanoTime();
        try (CloseableIterator<Tuple2<Long, float[]>> rows = embeddings().executeAndCollect()) {
            assertEachOnce(rows);
        }
        System.out.printf("%d rows/s through a failure%n", ROWS * 1_000_000_000L / (System.nanoTime() - start));
        replacing.join();
        assertThat(SharedEngine.isOpen()).isFalse();
    }
}
