package dev.millrace.inspect;

import dev.millrace.scheduler.device.DeviceStream;
import dev.millrace.scheduler.event.RunListener;
import dev.millrace.scheduler.kernel.Work;
import dev.millrace.scheduler.plan.PlanStep;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/**
 * The timeline of the run that it heard of last: what each thread of the host and each stream of a device did, and which
 * stream waited for which. Steps that are programs of their own are shown by what is inside of them.
 */
public final class RunTimeline implements RunListener {
    private static final String HOST = "host";

    private final List<Bar> bars = new ArrayList<>();
    private final List<Wait> waits = new ArrayList<>();
    /** The steps that told of work inside of them. */
    private final LinkedHashSet<PlanStep> inside = new LinkedHashSet<>();

    private boolean hasEnded;
    private long start;
    private long end;

    private record Bar(String row, String name, String operator, long start, long end) {}

    /** A wait of one row for another. */
    private record Wait(String from, String by, long reached, long passed) {}

    /** Forgets the run before, when the first event of another one comes. */
    private void begin() {
        if (hasEnded) {
            bars.clear();
            waits.clear();
            inside.clear();
            hasEnded = false;
        }
    }

    @Override
    public synchronized void workEnded(String plan, PlanStep step, Work work, long startNanos, long endNanos) {
        begin();
        inside.add(step);
        bars.add(new Bar(HOST, work.name(), work.kernel(), startNanos, endNanos));
    }

    @Override
    public synchronized void stepEnded(String plan, PlanStep step, long startNanos, long endNanos) {
        begin();
        if (!inside.remove(step)) {
            bars.add(bar(HOST, step, startNanos, endNanos));
        }
    }

    @Override
    public synchronized void deviceStepEnded(
            String plan, PlanStep step, DeviceStream stream, long startNanos, long endNanos) {
        begin();
        bars.add(bar(row(stream), step, startNanos, endNanos));
    }

    @Override
    public synchronized void waitEnded(
            String plan, DeviceStream from, @Nullable DeviceStream by, long reachedNanos, long passedNanos) {
        begin();
        waits.add(new Wait(row(from), by == null ? HOST : row(by), reachedNanos, passedNanos));
    }

    @Override
    public synchronized void runEnded(String plan, long startNanos, long endNanos, boolean failed) {
        hasEnded = true;
        start = startNanos;
        end = endNanos;
    }

    private static Bar bar(String row, PlanStep step, long startNanos, long endNanos) {
        return new Bar(row, step.node().name(), step.node().op().name(), startNanos, endNanos);
    }

    private static String row(DeviceStream stream) {
        return stream.device().info().name() + "/" + stream.id();
    }

    /** Writes it as a property; times are microseconds from the beginning of the run. */
    synchronized void write(JsonGenerator json) {
        json.writeObjectPropertyStart("timeline");
        json.writeNumberProperty("micros", micros(end));
        var rows = new LinkedHashSet<String>(List.of(HOST));
        bars.forEach(bar -> rows.add(bar.row));
        JsonText.array(json, "rows", rows, json::writeString);
        JsonText.objects(json, "bars", bars, bar -> {
            json.writeStringProperty("row", bar.row);
            json.writeStringProperty("name", bar.name);
            json.writeStringProperty("operator", bar.operator);
            json.writeNumberProperty("start", micros(bar.start));
            json.writeNumberProperty("end", micros(bar.end));
        });
        JsonText.objects(json, "waits", waits, wait -> {
            json.writeStringProperty("from", wait.from);
            json.writeStringProperty("by", wait.by);
            json.writeNumberProperty("reached", micros(wait.reached));
            json.writeNumberProperty("passed", micros(wait.passed));
        });
        json.writeEndObject();
    }

    private double micros(long nanos) {
        return (nanos - start) / 1e3;
    }
}
