package dev.millrace.session;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.scheduler.event.RunListener;
import dev.millrace.session.util.Deadline;
import dev.millrace.session.util.Failures;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The options of one run. An immutable snapshot; {@link #builder()} makes one.
 *
 * @param cancellation cancels the run; runs with the same options share it
 * @param outputs the names of the outputs to return; empty for all
 * @param listener a listener to the steps of the run, besides the session's own; null for none
 * @param deadline the instant at which the run ends with DEADLINE_EXCEEDED, even if it has not begun; null for none
 * @param priority the priority among the waiting runs of the session: higher values run first
 * @param into the tensors that outputs are written into, by the outputs' names
 * @param onDevice the names of the outputs that stay on the device that computes them; {@link #ALL} for all
 * @param tag a name of the run that providers see; empty for none
 * @param config options of the run for providers, by key
 */
public record RunOptions(
        Cancellation cancellation,
        List<String> outputs,
        @Nullable RunListener listener,
        @Nullable Instant deadline,
        int priority,
        Map<String, Tensor> into,
        List<String> onDevice,
        String tag,
        Map<String, String> config) {
    /** The name that stands for all outputs in {@link #onDevice()}. */
    public static final String ALL = "*";

    public RunOptions {
        Failures.requireArgument(cancellation, "cancellation");
        outputs = Failures.all(outputs, "outputs");
        into = Failures.all(into, "into");
        onDevice = Failures.all(onDevice, "onDevice");
        Failures.requireArgument(tag, "tag");
        config = Failures.all(config, "config");
    }

    /** Whether an output stays on the device that computes it. */
    public boolean leavesOnDevice(String output) {
        return !into.containsKey(output) && (onDevice.contains(output) || onDevice.contains(ALL));
    }

    /** Returns options that return all outputs. Each call makes a new cancellation. */
    public static RunOptions defaults() {
        return new RunOptions(new Cancellation(), List.of(), null, null, 0, Map.of(), List.of(), "", Map.of());
    }

    /** Returns a builder that starts from the defaults, with a new cancellation. */
    public static Builder builder() {
        return defaults().toBuilder();
    }

    /** Returns a builder that starts from these options and has the same cancellation. */
    public Builder toBuilder() {
        return new Builder(this);
    }

    /** A builder of options of a run. Every option has a default. All options that it builds share its cancellation. */
    public static final class Builder {
        private Cancellation cancellation;
        private List<String> outputs;
        private @Nullable RunListener listener;
        private @Nullable Instant deadline;
        private int priority;
        private Map<String, Tensor> into;
        private List<String> onDevice;
        private String tag;
        private Map<String, String> config;

        private Builder(RunOptions from) {
            cancellation = from.cancellation;
            outputs = from.outputs;
            listener = from.listener;
            deadline = from.deadline;
            priority = from.priority;
            into = from.into;
            onDevice = from.onDevice;
            tag = from.tag;
            config = from.config;
        }

        public Builder cancellation(Cancellation value) {
            cancellation = value;
            return this;
        }

        public Builder outputs(String... names) {
            return outputs(Failures.each(names, "outputs"));
        }

        /** Sets the names of the outputs to return; an empty list means all. */
        public Builder outputs(List<String> names) {
            outputs = names;
            return this;
        }

        public Builder listener(@Nullable RunListener value) {
            listener = value;
            return this;
        }

        public Builder deadline(@Nullable Instant when) {
            deadline = when;
            return this;
        }

        /** Sets the deadline to this time from now. */
        public Builder within(Duration time) {
            return deadline(Deadline.after(Failures.requireArgument(time, "time")));
        }

        public Builder priority(int value) {
            priority = value;
            return this;
        }

        /**
         * Adds a tensor that an output is written into: a direct buffer, shared memory, a slot of a ring buffer. The tensor
         * has the type and the shape of the output. The run returns it, and closing the outputs leaves it open. The engine
         * computes in its own memory and copies when the run ends, so the caller saves a copy and the engine does not. If
         * the run fails, the content of the tensor is undefined.
         */
        public Builder into(String output, Tensor tensor) {
            var all = new LinkedHashMap<>(into);
            if (all.put(output, Failures.requireArgument(tensor, "tensor")) != null) {
                throw EngineException.invalidArgument("output '" + output + "' is written into one tensor, not two");
            }
            into = all;
            return this;
        }

        public Builder leaveOnDevice(String... names) {
            return leaveOnDevice(Failures.each(names, "onDevice"));
        }

        /**
         * Sets the names of the outputs that stay on the device that computes them, for the next run or another session
         * there; {@link #ALL} for all. Such an output is copied to the host where it is first read. It holds device memory
         * until it is closed. Outputs that the host computes are not affected.
         */
        public Builder leaveOnDevice(List<String> names) {
            onDevice = names;
            return this;
        }

        /** Sets a name of the run, which providers see. */
        public Builder tag(String value) {
            tag = value;
            return this;
        }

        /** Adds an option of the run for providers. A provider that does not know the key ignores it. */
        public Builder config(String key, String value) {
            var all = new LinkedHashMap<>(config);
            all.put(Failures.requireArgument(key, "key"), Failures.requireArgument(value, "value"));
            config = all;
            return this;
        }

        public RunOptions build() {
            return new RunOptions(cancellation, outputs, listener, deadline, priority, into, onDevice, tag, config);
        }
    }
}
