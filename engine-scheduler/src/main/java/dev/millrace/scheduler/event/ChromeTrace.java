package dev.millrace.scheduler.event;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.scheduler.device.DeviceStream;
import dev.millrace.scheduler.plan.PlanStep;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Writes runs and their steps as a Chrome trace (a JSON array of events), to be opened in Perfetto or chrome://tracing. Each
 * thread and each stream of a device has a row, and each wait for a stream an arrow. Whoever made it closes it; a file that was not closed still opens.
 */
public final class ChromeTrace implements RunListener, AutoCloseable {
    private static final long FIRST_ROW = 1_000_000;

    private final Writer out;
    private final long pid = ProcessHandle.current().pid();
    /** The rows of streams, by their names; threads have the numbers of the JVM. */
    private final Map<String, Long> rows = new HashMap<>();

    private long flows;
    private boolean first = true;
    private @Nullable IOException failure;

    private ChromeTrace(Writer out) {
        this.out = out;
    }

    public static ChromeTrace to(Path file) {
        try {
            Writer out = Files.newBufferedWriter(file, StandardCharsets.UTF_8);
            out.write("[\n");
            return new ChromeTrace(out);
        } catch (IOException e) {
            throw new EngineException(Status.FAIL, "cannot write a trace to " + file + ": " + e, e);
        }
    }

    @Override
    public void stepEnded(String plan, PlanStep step, long startNanos, long endNanos) {
        write(
                "Node",
                step.node().describe(),
                startNanos,
                endNanos,
                "\"op_name\":" + quoted(step.node().op().toString()) + ",\"provider\":" + quoted(step.provider())
                        + ",\"node_index\":" + step.index());
    }

    @Override
    public void deviceStepEnded(String plan, PlanStep step, DeviceStream stream, long startNanos, long endNanos) {
        write(
                "Device",
                row(stream),
                step.node().describe(),
                startNanos,
                endNanos,
                "\"op_name\":" + quoted(step.node().op().toString()) + ",\"provider\":" + quoted(step.provider())
                        + ",\"node_index\":" + step.index());
    }

    @Override
    public synchronized void waitEnded(
            String plan, DeviceStream from, @Nullable DeviceStream by, long reachedNanos, long passedNanos) {
        long flow = ++flows;
        write(arrow("s", flow, row(from), reachedNanos));
        write(arrow("f\",\"bp\":\"e", flow, by == null ? Thread.currentThread().threadId() : row(by), passedNanos));
    }

    private String arrow(String phase, long flow, long row, long nanos) {
        return "{\"cat\":\"Wait\",\"ph\":\"" + phase + "\",\"id\":" + flow + ",\"pid\":" + pid + ",\"tid\":" + row
                + ",\"ts\":" + nanos / 1000 + ",\"name\":\"wait\"}";
    }

    @Override
    public boolean hearsDevices() {
        return true;
    }

    @Override
    public void deviceActivity(String provider, DeviceActivity activity) {
        var arguments = new StringBuilder("\"provider\":").append(quoted(provider));
        new TreeMap<>(activity.arguments())
                .forEach((key, value) ->
                        arguments.append(',').append(quoted(key)).append(':').append(quoted(value)));
        write(
                activity.category(),
                row(provider + "/" + activity.row()),
                activity.name(),
                activity.startNanos(),
                activity.startNanos() + activity.durationNanos(),
                arguments.toString());
    }

    private long row(DeviceStream stream) {
        return row(stream.device().info().name() + "/" + stream.id());
    }

    /** The row of a stream or of a part of a device, which is named when it first appears. */
    private synchronized long row(String name) {
        Long known = rows.get(name);
        if (known == null) {
            known = FIRST_ROW + rows.size();
            rows.put(name, known);
            write("{\"ph\":\"M\",\"pid\":" + pid + ",\"tid\":" + known + ",\"name\":\"thread_name\",\"args\":{\"name\":"
                    + quoted(name) + "}}");
        }
        return known;
    }

    @Override
    public BindingListener bindingBegins(String plan) {
        long start = System.nanoTime();
        return values -> write("Session", "bind " + plan, start, System.nanoTime(), "\"values\":" + quoted(values));
    }

    @Override
    public void runEnded(String plan, long startNanos, long endNanos, boolean failed) {
        write("Session", "run " + plan, startNanos, endNanos, "\"failed\":" + failed);
    }

    private void write(String category, String name, long startNanos, long endNanos, String args) {
        write(category, Thread.currentThread().threadId(), name, startNanos, endNanos, args);
    }

    private void write(String category, long row, String name, long startNanos, long endNanos, String args) {
        write("{\"cat\":" + quoted(category) + ",\"ph\":\"X\",\"pid\":" + pid + ",\"tid\":" + row + ",\"ts\":"
                + startNanos / 1000 + ",\"dur\":" + Math.max(0, (endNanos - startNanos) / 1000) + ",\"name\":"
                + quoted(name) + ",\"args\":{" + args + "}}");
    }

    private synchronized void write(String event) {
        if (failure != null) {
            return;
        }
        try {
            out.write(first ? "" : ",\n");
            first = false;
            out.write(event);
        } catch (IOException e) {
            // a run does not fail for its trace: closing says it
            failure = e;
        }
    }

    static String quoted(String text) {
        var quoted = new StringBuilder(text.length() + 2).append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (c < ' ') {
                quoted.append("\\u%04x".formatted((int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }

    /** Ends the trace. Throws {@link UncheckedIOException} where it could not be written whole. */
    @Override
    public synchronized void close() {
        try (out) {
            if (failure != null) {
                throw failure;
            }
            out.write("\n]\n");
        } catch (IOException e) {
            throw new UncheckedIOException("the trace is not whole: " + e.getMessage(), e);
        }
    }
}
