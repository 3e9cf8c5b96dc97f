package dev.millrace.flink;

import java.net.URI;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.jspecify.annotations.Nullable;

/** A cluster of two task managers in this JVM, with jobs that come by its REST port. All tests share it until the JVM ends. */
final class TestCluster {
    private static final int TASK_MANAGERS = 2;
    private static final int SLOTS = 2;
    private static final int SECONDS = 60;

    private static @Nullable TestCluster shared;

    private final MiniCluster cluster;

    private TestCluster(MiniCluster cluster) {
        this.cluster = cluster;
    }

    static synchronized TestCluster shared() throws Exception {
        TestCluster started = shared == null ? start() : shared;
        shared = started;
        return started;
    }

    private static TestCluster start() throws Exception {
        var configuration = new Configuration();
        configuration.set(RestOptions.BIND_PORT, "0");
        configuration.set(RestOptions.BIND_ADDRESS, "localhost");
        configuration.set(RestOptions.ADDRESS, "localhost");
        var cluster = new MiniCluster(new MiniClusterConfiguration.Builder()
                .setConfiguration(configuration)
                .setNumTaskManagers(TASK_MANAGERS)
                .setNumSlotsPerTaskManager(SLOTS)
                .build());
        cluster.start();
        return new TestCluster(cluster);
    }

    /** Returns an environment whose jobs begin again after a failure, from checkpoints at this interval. */
    StreamExecutionEnvironment restarting(Duration checkpoints) throws Exception {
        var configuration = new Configuration();
        configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, checkpoints);
        configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
        configuration.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, 20);
        configuration.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ofMillis(100));
        return environment(configuration);
    }

    /** Returns an environment whose jobs end with their first failure. */
    StreamExecutionEnvironment environment() throws Exception {
        return environment(new Configuration());
    }

    private StreamExecutionEnvironment environment(Configuration configuration) throws Exception {
        URI address = cluster.getRestAddress().get(SECONDS, TimeUnit.SECONDS);
        return StreamExecutionEnvironment.createRemoteEnvironment(address.getHost(), address.getPort(), configuration)
                .setParallelism(2);
    }

    /** Ends a task manager as a crash does, and starts another. */
    void replaceTaskManager() throws Exception {
        cluster.terminateTaskManager(0).get(SECONDS, TimeUnit.SECONDS);
        cluster.startTaskManager();
    }
}
