package dev.millrace.server.dashboard;

import dev.millrace.server.access.Permissions;
import dev.millrace.server.config.ConfigFile;
import dev.millrace.server.model.LatencyHistogram;
import dev.millrace.server.model.LoadedVersion;
import dev.millrace.server.model.ServerDescription;
import dev.millrace.server.model.TextModel;
import dev.millrace.server.protocol.InferBatchStatistics;
import dev.millrace.server.protocol.ModelConfig;
import dev.millrace.server.protocol.ModelStatistics;
import dev.millrace.server.protocol.StatisticDuration;
import dev.millrace.server.repository.IndexRow;
import dev.millrace.server.repository.ModelRepository;
import dev.millrace.session.DeviceMemoryUse;
import dev.millrace.session.Engine;
import dev.millrace.session.MemoryUse;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/** Everything that the page shows, as a tree of JSON. Times are microseconds, and counts begin with the server. */
final class DashboardState {
    private static final long NANOS_PER_MICRO = 1000;

    private final Engine engine;
    private final ModelRepository repository;
    private final IntSupplier active;
    private final BooleanSupplier ready;

    DashboardState(Engine engine, ModelRepository repository, IntSupplier active, BooleanSupplier ready) {
        this.engine = engine;
        this.repository = repository;
        this.active = active;
        this.ready = ready;
    }

    Map<String, @Nullable Object> tree(Permissions permissions) {
        var tree = new LinkedHashMap<String, @Nullable Object>();
        tree.put("version", ServerDescription.server().getVersion());
        tree.put("ready", ready.getAsBoolean());
        tree.put("active", active.getAsInt());
        tree.put("threads", engine.threads());
        tree.put("memory", memory());
        tree.put("devices", devices());
        tree.put("models", models(permissions));
        return tree;
    }

    private Map<String, @Nullable Object> memory() {
        MemoryUse use = engine.memory();
        Runtime java = Runtime.getRuntime();
        var memory = new LinkedHashMap<String, @Nullable Object>();
        memory.put("weights", use.weights());
        memory.put("kept", use.kept());
        memory.put("budget", use.budget() == Long.MAX_VALUE ? null : use.budget());
        memory.put("heap", java.totalMemory() - java.freeMemory());
        memory.put("heapLimit", java.maxMemory());
        return memory;
    }

    private List<Map<String, Object>> devices() {
        var devices = new ArrayList<Map<String, Object>>();
        for (DeviceMemoryUse use : engine.deviceMemory()) {
            var device = new LinkedHashMap<String, Object>();
            device.put("device", use.device().name());
            device.put("kind", use.kind().name());
            device.put("used", use.memory().usedBytes());
            device.put("held", use.memory().heldBytes());
            device.put("peak", use.memory().peakBytes());
            devices.add(device);
        }
        return devices;
    }

    private List<Map<String, @Nullable Object>> models(Permissions permissions) {
        var loaded = new LinkedHashMap<List<String>, LoadedVersion>();
        repository.loaded().forEach(each -> loaded.put(List.of(each.name(), each.version()), each));
        var models = new ArrayList<Map<String, @Nullable Object>>();
        for (IndexRow row : repository.index(false)) {
            if (!permissions.maySee(row.name())) {
                continue;
            }
            var model = new LinkedHashMap<String, @Nullable Object>();
            model.put("name", row.name());
            model.put("version", row.version());
            model.put("state", row.state());
            model.put("reason", row.reason());
            LoadedVersion version = loaded.get(List.of(row.name(), row.version()));
            if (version != null) {
                describe(version, model);
                count(version, model);
            }
            models.add(model);
        }
        return models;
    }

    private static void describe(LoadedVersion version, Map<String, @Nullable Object> model) {
        ModelConfig config = version.model().config();
        model.put("metadata", ConfigFile.tree(ServerDescription.model(config, List.of(version.version()))));
        model.put("sequences", config.hasSequenceBatching());
        TextModel text = version.model().text();
        model.put("generates", text != null && text.generates() != null);
        model.put("embeds", text != null && text.embeds() != null);
        model.put("graph", version.model().opened() != null);
        model.put("weights", version.weights());
        model.put("waiting", version.model().waiting());
    }

    private static void count(LoadedVersion version, Map<String, @Nullable Object> model) {
        ModelStatistics statistics = version.counters().message(version.name(), version.version());
        var times = statistics.getInferenceStats();
        model.put("requests", times.getSuccess().getCount());
        model.put("failures", times.getFail().getCount());
        model.put("rows", statistics.getInferenceCount());
        model.put("runs", statistics.getExecutionCount());
        model.put("lastMillis", statistics.getLastInference());
        model.put("meanMicros", mean(times.getSuccess()));
        model.put("meanQueueMicros", mean(times.getQueue()));
        model.put("meanRunMicros", mean(times.getComputeInfer()));
        model.put("latency", latency(version.counters().latency()));
        model.put("batches", batches(statistics));
    }

    private static long mean(StatisticDuration sum) {
        return sum.getCount() == 0 ? 0 : sum.getNs() / sum.getCount() / NANOS_PER_MICRO;
    }

    /** Returns the buckets of times: the bound, null for the last bucket, and the count. */
    private static List<Map<String, @Nullable Object>> latency(LatencyHistogram histogram) {
        var buckets = new ArrayList<Map<String, @Nullable Object>>();
        for (LatencyHistogram.Bucket each : histogram.buckets()) {
            var bucket = new LinkedHashMap<String, @Nullable Object>();
            bucket.put("micros", each.micros() == Long.MAX_VALUE ? null : each.micros());
            bucket.put("count", each.count());
            buckets.add(bucket);
        }
        return buckets;
    }

    /** Returns the number of runs by the requests that each answered. */
    private static List<Map<String, Object>> batches(ModelStatistics statistics) {
        long joined = 0;
        var sizes = new ArrayList<Map<String, Object>>();
        for (InferBatchStatistics each : statistics.getBatchStatsList()) {
            long runs = each.getComputeInfer().getCount();
            sizes.add(Map.of("size", each.getBatchSize(), "count", runs));
            joined += runs;
        }
        sizes.addFirst(Map.of("size", 1, "count", Math.max(0, statistics.getExecutionCount() - joined)));
        return sizes;
    }
}
