package dev.millrace.scheduler.event;

/** A generation in a flight recording (JFR): the event {@code dev.millrace.Generation}, which lasts as long as it does. */
public final class FlightGeneration {
    private final FlightEvents.GenerationEvent event = new FlightEvents.GenerationEvent();

    FlightGeneration() {
        event.begin();
    }

    /**
     * Marks its end and commits the event.
     *
     * @param session the name of its session
     * @param prompt the tokens of the prompt
     * @param cached those of them that were known
     * @param generated the tokens of the answer
     * @param firstNanos how long the first token took; 0 if there was none
     * @param outcome the reason for the end
     */
    public void end(String session, int prompt, int cached, int generated, long firstNanos, String outcome) {
        event.end();
        if (event.shouldCommit()) {
            event.session = session;
            event.promptTokens = prompt;
            event.cachedTokens = cached;
            event.generatedTokens = generated;
            event.firstToken = firstNanos;
            event.outcome = outcome;
            event.commit();
        }
    }
}
