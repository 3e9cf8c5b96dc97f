package dev.millrace.scheduler.event;

import dev.millrace.scheduler.device.DeviceStream;
import dev.millrace.scheduler.plan.PlanStep;
import jdk.jfr.Category;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

/** The events of one run in JFR: of its steps as a listener hears of them, when they have ended, and of its bindings. */
final class FlightEvents implements RunListener {
    private final String session;
    private final long number;

    /**
     * @param session what the run's session is called
     * @param number which of the session's requests it is
     */
    FlightEvents(String session, long number) {
        this.session = session;
        this.number = number;
    }

    @Name("dev.millrace.Run")
    @Label("Inference run")
    @Category("Millrace")
    @StackTrace(false)
    static final class RunEvent extends Event {
        @Label("Session")
        String session = "";

        @Label("Number")
        long number;

        @Label("Inputs")
        String inputs = "";

        @Label("Queued")
        @Timespan(Timespan.NANOSECONDS)
        long queued;

        @Label("Outcome")
        String outcome = "";
    }

    @Name("dev.millrace.Generation")
    @Label("Generation of tokens")
    @Category("Millrace")
    @StackTrace(false)
    static final class GenerationEvent extends Event {
        @Label("Session")
        String session = "";

        @Label("Prompt tokens")
        int promptTokens;

        @Label("Cached prompt tokens")
        int cachedTokens;

        @Label("Generated tokens")
        int generatedTokens;

        @Label("Time to first token")
        @Timespan(Timespan.NANOSECONDS)
        long firstToken;

        @Label("Outcome")
        String outcome = "";
    }

    @Name("dev.millrace.Session")
    @Label("Creation of a session")
    @Category("Millrace")
    @StackTrace(false)
    static final class SessionEvent extends Event {
        @Label("Model")
        String model = "";

        @Label("Outcome")
        String outcome = "";
    }

    /** A step that has ended, on the host or on a device. */
    abstract static class TimedStep extends Event {
        @Label("Session")
        String session = "";

        @Label("Number")
        long number;

        @Label("Model")
        String model = "";

        @Label("Operator")
        String operator = "";

        @Label("Node")
        String node = "";

        @Label("Taken")
        @Timespan(Timespan.NANOSECONDS)
        long taken;
    }

    /** Off unless a recording asks for it: a small model runs through its steps faster than they can be timed. */
    @Enabled(false)
    @Name("dev.millrace.Step")
    @Label("Step of a run")
    @Category("Millrace")
    @StackTrace(false)
    static final class StepEvent extends TimedStep {
        @Label("Provider")
        String provider = "";
    }

    /** Off unless a recording asks for it, as {@link StepEvent}. */
    @Enabled(false)
    @Name("dev.millrace.DeviceStep")
    @Label("Step of a run on a device")
    @Category("Millrace")
    @StackTrace(false)
    static final class DeviceStepEvent extends TimedStep {
        @Label("Device")
        String device = "";

        @Label("Stream")
        int stream;
    }

    /** Off unless a recording asks for it, as {@link StepEvent}. */
    @Enabled(false)
    @Name("dev.millrace.DeviceWait")
    @Label("Wait for a stream of a device")
    @Category("Millrace")
    @StackTrace(false)
    static final class DeviceWaitEvent extends Event {
        @Label("Session")
        String session = "";

        @Label("Number")
        long number;

        @Label("From")
        String from = "";

        @Label("By")
        String by = "";

        @Label("Delay")
        @Timespan(Timespan.NANOSECONDS)
        long delay;
    }

    @Name("dev.millrace.Binding")
    @Label("Binding to new shapes")
    @Category("Millrace")
    @StackTrace(false)
    static final class BindingEvent extends Event {
        @Label("Session")
        String session = "";

        @Label("Number")
        long number;

        @Label("Model")
        String model = "";

        @Label("Values")
        String values = "";
    }

    /** Whether a recording that is on has any of the events of a run. */
    static boolean areRecorded() {
        return new RunEvent().isEnabled() || new BindingEvent().isEnabled() || areStepsRecorded();
    }

    private static boolean areStepsRecorded() {
        return new StepEvent().isEnabled() || new DeviceStepEvent().isEnabled() || new DeviceWaitEvent().isEnabled();
    }

    @Override
    public boolean hearsSteps() {
        return areStepsRecorded();
    }

    @Override
    public void deviceStepEnded(String plan, PlanStep step, DeviceStream stream, long startNanos, long endNanos) {
        var event = new DeviceStepEvent();
        if (event.shouldCommit()) {
            describe(event, plan, step, startNanos, endNanos);
            event.device = stream.device().info().name();
            event.stream = stream.id();
            event.commit();
        }
    }

    @Override
    public void waitEnded(
            String plan, DeviceStream from, @Nullable DeviceStream by, long reachedNanos, long passedNanos) {
        var event = new DeviceWaitEvent();
        if (event.shouldCommit()) {
            event.session = session;
            event.number = number;
            event.from = name(from);
            event.by = by == null ? "host" : name(by);
            event.delay = passedNanos - reachedNanos;
            event.commit();
        }
    }

    private void describe(TimedStep event, String plan, PlanStep step, long startNanos, long endNanos) {
        event.session = session;
        event.number = number;
        event.model = plan;
        event.operator = step.node().op().toString();
        event.node = step.node().name();
        event.taken = endNanos - startNanos;
    }

    private static String name(DeviceStream stream) {
        return stream.device().info().name() + "/" + stream.id();
    }

    @Override
    public void stepEnded(String plan, PlanStep step, long startNanos, long endNanos) {
        var event = new StepEvent();
        if (event.shouldCommit()) {
            describe(event, plan, step, startNanos, endNanos);
            event.provider = step.provider();
            event.commit();
        }
    }

    @Override
    public BindingListener bindingBegins(String plan) {
        var event = new BindingEvent();
        event.begin();
        return values -> {
            event.end();
            if (event.shouldCommit()) {
                event.session = session;
                event.number = number;
                event.model = plan;
                event.values = values;
                event.commit();
            }
        };
    }

    @Override
    public void runEnded(String plan, long startNanos, long endNanos, boolean failed) {
        // sessions know more of their requests, and tell it: FlightRequest
    }
}
