package dev.millrace.scheduler.event;

/**
 * A request in a flight recording (JFR): the event {@code dev.millrace.Run}, which lasts as long as the request's run.
 */
public final class FlightRequest {
    private final FlightEvents.RunEvent event = new FlightEvents.RunEvent();

    FlightRequest() {}

    /** Marks the beginning of its run. A request that is refused before never begins. */
    public void begin() {
        event.begin();
    }

    /** Returns a listener that commits the events of its run's steps and bindings. */
    public RunListener listener(String session, long number) {
        return new FlightEvents(session, number);
    }

    /**
     * Marks its end and commits the event.
     *
     * @param session the name of its session
     * @param number the number of the request in the session
     * @param inputs the shapes of its inputs
     * @param queuedNanos how long it waited for its run
     * @param outcome {@code OK}, or the status that it failed with
     */
    public void end(String session, long number, String inputs, long queuedNanos, String outcome) {
        event.end();
        if (event.shouldCommit()) {
            event.session = session;
            event.number = number;
            event.inputs = inputs;
            event.queued = queuedNanos;
            event.outcome = outcome;
            event.commit();
        }
    }
}
