package dev.millrace.scheduler.event;

/** The making of a session in JFR: the event {@code dev.millrace.Session}. */
public final class FlightCreation {
    private final FlightEvents.SessionEvent event = new FlightEvents.SessionEvent();

    FlightCreation() {
        event.begin();
    }

    /**
     * The session is there, or could not be made.
     *
     * @param model the file, or what else messages call the model
     * @param outcome {@code OK}, or the status of the failure
     */
    public void end(String model, String outcome) {
        event.end();
        if (event.shouldCommit()) {
            event.model = model;
            event.outcome = outcome;
            event.commit();
        }
    }
}
