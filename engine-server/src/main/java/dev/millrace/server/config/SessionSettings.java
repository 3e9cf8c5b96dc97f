package dev.millrace.server.config;

import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.optimise.Optimiser;
import dev.millrace.graph.optimise.pass.Level;
import dev.millrace.server.protocol.ModelConfig;
import dev.millrace.server.protocol.ModelInstanceGroup;
import dev.millrace.server.protocol.ModelSequenceBatching;
import dev.millrace.session.BatchOptions;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOption;
import dev.millrace.session.SessionOptions;
import dev.millrace.session.ValueInfo;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** The options of a session that a configuration asks for. */
public final class SessionSettings {
    /** The weight of a model whose rate limiter has priority 1: divisible by small priorities. */
    private static final int FULL_WEIGHT = 60;

    private static final long LONGEST_MICROS = 60_000_000;

    /** Parameters of ONNX Runtime's backend that have no counterpart and change no answer. */
    private static final Set<String> WITHOUT_EFFECT =
            Set.of("inter_op_thread_count", "execution_mode", "enable_mem_arena", "enable_mem_pattern");

    private SessionSettings() {}

    public static SessionOptions of(ModelConfig config, String name, String version) {
        var options = SessionOptions.builder().name(name).version(version).weight(FULL_WEIGHT);
        int instances = 0;
        for (ModelInstanceGroup group : config.getInstanceGroupList()) {
            instances += Math.max(1, group.getCount());
            int priority = Math.max(1, group.getRateLimiter().getPriority());
            options.weight(Math.max(1, FULL_WEIGHT / priority));
        }
        if (instances > 0) {
            options.maxConcurrentRuns(instances);
        }
        int queue = config.getDynamicBatching().getDefaultQueuePolicy().getMaxQueueSize();
        if (queue > 0) {
            options.queue(queue);
        }
        if (config.getOptimization().getGraph().getLevel() < 0) {
            options.optimiser(Optimiser.Options.builder().level(Level.BASIC).build());
        }
        config.getParametersMap().forEach((key, value) -> set(options, key, value.getStringValue()));
        return options.build();
    }

    private static void set(SessionOptions.Builder options, String key, String value) {
        switch (key) {
            case "intra_op_thread_count" -> {
                if (!value.equals("0")) {
                    options.set(SessionOption.THREADS.name(), value);
                }
            }
            case "providers" -> options.set(SessionOption.PROVIDERS.name(), value);
            default -> {
                if (!WITHOUT_EFFECT.contains(key) && !SourceParameters.NAMES.contains(key)) {
                    options.set(key, value);
                }
            }
        }
    }

    /** Returns how the requests of a model with a batch axis are joined. */
    public static BatchOptions batching(ModelConfig config, Session session) {
        var options = BatchOptions.builder().maxSize(config.getMaxBatchSize());
        if (config.hasDynamicBatching()) {
            options.maxDelay(delay(config.getDynamicBatching().getMaxQueueDelayMicroseconds()));
            options.preferred(preferred(config.getDynamicBatching().getPreferredBatchSizeList()));
        } else {
            ModelSequenceBatching sequences = config.getSequenceBatching();
            options.maxDelay(delay(
                    sequences.hasOldest()
                            ? sequences.getOldest().getMaxQueueDelayMicroseconds()
                            : sequences.getDirect().getMaxQueueDelayMicroseconds()));
            options.preferred(preferred(sequences.getOldest().getPreferredBatchSizeList()));
        }
        Stream.concat(session.inputs().stream(), session.outputs().stream())
                .filter(SessionSettings::isOpen)
                .forEach(value -> options.along(value.name(), 0));
        return options.build();
    }

    private static Integer[] preferred(List<Integer> sizes) {
        return sizes.toArray(new Integer[0]);
    }

    private static boolean isOpen(ValueInfo value) {
        return value.type() instanceof ValueType.TensorType tensor
                && tensor.shape() != null
                && tensor.shape().rank() > 0
                && !tensor.shape().dim(0).isKnown();
    }

    private static Duration delay(long micros) {
        return Duration.of(micros < 0 ? LONGEST_MICROS : Math.min(micros, LONGEST_MICROS), ChronoUnit.MICROS);
    }
}
