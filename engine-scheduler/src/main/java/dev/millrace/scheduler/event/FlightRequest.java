package dev.millrace.scheduler.event;

/** A request in JFR: the event {@code dev.millrace.Run}, which begins when its run does and lasts as long. */
public final class FlightRequest {
    private final FlightEvents.RunEvent event = new FlightEvents.RunEvent();

    FlightRequest() {}

    /** Its run begins now. One that is refused before never does. */
    public void begin() {
        event.begin();
    }

    /** What commits the events of its run's steps and bindings. */
    public RunListener listener(String session, long number) {
        return new FlightEvents(session, number);
    }

    /**
     * It has ended now.
     *
     * @param session what its session is called
     * @param number which of the session's requests it is
     * @param inputs their shapes
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
