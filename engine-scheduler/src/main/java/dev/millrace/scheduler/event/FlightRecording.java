package dev.millrace.scheduler.event;

import jdk.jfr.FlightRecorder;
import org.jspecify.annotations.Nullable;

/** The way to JFR. Its classes are loaded when a recording is on, and not before: they take their time. */
public final class FlightRecording {
    private FlightRecording() {}

    /** A request to be told of, or null where no recording wants to hear of requests. */
    public static @Nullable FlightRequest requestIfOn() {
        return FlightRecorder.isInitialized() && FlightEvents.areRecorded() ? new FlightRequest() : null;
    }

    /** A session that is about to be made, or null where no recording has been started in this process. */
    public static @Nullable FlightCreation creationIfOn() {
        return FlightRecorder.isInitialized() ? new FlightCreation() : null;
    }

    /** A generation that begins, or null where no recording wants to hear of generations. */
    public static @Nullable FlightGeneration generationIfOn() {
        boolean isOn = FlightRecorder.isInitialized() && new FlightEvents.GenerationEvent().isEnabled();
        return isOn ? new FlightGeneration() : null;
    }
}
